"""In a container: takes on a filter of system calls and limits, then becomes the program.

Run by the system's Python from its source. Arguments: the filter in base64, seconds of CPU, the
largest file in bytes, the number of settings, the settings of the environment, the command.
"""

import base64
import ctypes
import os
import resource
import signal
import sys

NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2  # of prctl


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def main(code: str, cpu: str, size: str, count: str, *rest: str) -> None:
    settings, argv = rest[: int(count)], rest[int(count) :]
    steps = base64.b64decode(code)
    program = ctypes.byref(Program(len(steps) // 8, steps))
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    prctl = ctypes.CDLL(None).prctl
    if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(SET_SECCOMP, FILTER, program, 0, 0):
        sys.exit("the filter of system calls was refused")
    environment = {name: value for name, _, value in (s.partition("=") for s in settings)}
    try:
        os.execvpe(argv[0], argv, environment)
    except OSError as error:
        sys.exit(f"{argv[0]}: {error.strerror}")


main(*sys.argv[1:])
