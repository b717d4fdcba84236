"""The configuration: settings, their sources (arguments, environment, file), addresses."""

from soapclient.settings.configuration import Config

__all__ = ["Config"]
