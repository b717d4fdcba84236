"""Settings of any service, their sources (arguments, environment, file), addresses."""

from soapclient.settings.arguments import CommonArguments
from soapclient.settings.common import CommonSettings
from soapclient.settings.transport import Certificate

__all__ = ["Certificate", "CommonArguments", "CommonSettings"]
