"""KitError, the exception for mistakes that a user can fix; other exceptions are bugs."""


class KitError(Exception):
    """A user's mistake. Its text says what was given, what is allowed, and what to type."""
