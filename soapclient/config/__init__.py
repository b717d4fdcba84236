"""What a client is told: settings, where they come from, addresses."""

from soapclient.config.configuration import Config

__all__ = ["Config"]
