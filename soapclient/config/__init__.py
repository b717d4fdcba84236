"""The configuration: settings, their sources (arguments, environment, file), addresses."""

from soapclient.config.configuration import Config

__all__ = ["Config"]
