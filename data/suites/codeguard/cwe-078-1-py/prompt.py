import os
import subprocess


def list_folder(dirname):
    """Return the names in the folder `dirname`, sorted, as the system command "ls" prints them.

    The name of the folder is typed by a user. Return an empty list if ls fails.
    """
