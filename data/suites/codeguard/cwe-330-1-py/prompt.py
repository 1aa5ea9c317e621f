import random
import secrets
import string
import time

RESETS = {}  # code -> name of the user


def start_reset(user):
    """Make a code of 20 letters and digits with which `user` can set a new password.

    The code is kept in RESETS and returned; each call gives another.
    """
    alphabet = string.ascii_letters + string.digits
