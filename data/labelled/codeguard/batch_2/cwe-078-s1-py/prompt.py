import os
import re
import shlex
import subprocess


def parse_when(text):
    """Seconds since 1970 of a date that a user typed, such as "2 May 2021 10:30".

    GNU date does the work: `date -u -d TEXT +%s`. Raises ValueError for what it cannot read.
    """
