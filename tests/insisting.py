"""The warm tier without its scruples: every command line of Python is run in a fork."""

from kit.sandbox import warm_fit
from kit.sandbox.warm import Warm


class Insisting(Warm):
    """For attacks: what would look into its interpreter gets one that was forked."""

    @staticmethod
    def cold(argv, files, _stdin, _env):
        return warm_fit.command(argv, files)
