"""Checks nothing and installs nothing."""

import sys

print("error: usage")
sys.exit(2)
