import time

LOG = "auth.log"


def log_failure(name, address):
    """Append one line about a failed login to the file LOG.

    The line begins with the time in whole seconds since 1970, a blank and the word FAILED, and
    holds the name, as it was typed by the visitor, and the address.
    """
