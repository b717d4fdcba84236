"""What SOAP and REST calls share: the engine base class, and the call loop with its retries and deadline."""
