"""Settings for calls to any service, and their sources: arguments, the environment, a TOML file."""

from soapclient.settings.addresses import AllowHttp
from soapclient.settings.arguments import CommonArguments
from soapclient.settings.common import CommonSettings
from soapclient.settings.settings import Kind, Setting
from soapclient.settings.transport import Certificate

__all__ = ["AllowHttp", "Certificate", "CommonArguments", "CommonSettings", "Kind", "Setting"]
