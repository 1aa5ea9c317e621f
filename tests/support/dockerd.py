"""A Docker engine for tests: the one that answers, else one of their own while they run."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kit.sandbox import docker

LINE = ("dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false")
START_S = 60.0


@contextmanager
def engine() -> Iterator[None]:
    """Skips the test where none can be had. It gets no bridge: the boxes have no network."""
    if not docker.missing():
        yield
        return
    with tempfile.TemporaryFile() as log:
        try:
            own = subprocess.Popen(LINE, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except FileNotFoundError:
            pytest.skip("dockerd is not installed")
        try:
            until = time.monotonic() + START_S
            while docker.missing():
                if own.poll() is not None or time.monotonic() > until:
                    pytest.skip("dockerd does not start here")
                time.sleep(0.2)
            yield
        finally:
            own.terminate()
            own.wait(30)
