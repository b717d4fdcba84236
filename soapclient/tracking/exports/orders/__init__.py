"""Orders: placed once, remembered in a state directory, found again after a crash."""
