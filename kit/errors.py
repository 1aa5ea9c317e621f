"""The one exception for mistakes that a user can mend; everything else rises as it is."""


class KitError(Exception):
    """A user's mistake. Its text is one sentence: what was got, what is allowed, what to type."""
