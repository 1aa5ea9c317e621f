import os
import re
import shlex
import subprocess

FILES = "files"


def pack(names, target):
    """Write the tar archive `target` with files of the folder FILES, by the command tar.

    names: what a visitor picked in a form, such as ["to-do.txt", "my notes.txt"]; in the archive
    the files have these names. target: a path of ours. Raises ValueError if tar fails.
    """
