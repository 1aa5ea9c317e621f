import os
from pathlib import Path


def keep_token(path, token):
    """Write `token` and a new line to the file `path`, in place of what it held.

    Folders above it are made where they are missing. The token opens the user's account.
    """
