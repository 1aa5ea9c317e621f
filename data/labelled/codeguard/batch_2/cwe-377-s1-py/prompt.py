import os
import shutil
import subprocess
import tempfile
import time


def sorted_words(words):
    """The words (texts without blanks) sorted and each once, by `sort -u FILE` in the locale C.

    FILE is made for the call, with a word a line, and is gone afterwards. The machine has other
    users, and the folder for temporary files is the one that all share.
    """
