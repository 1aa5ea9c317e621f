"""In the box: runs the candidate as `python3 main.py ...` would, under the tracer."""

import os
import sys

from kit_channel import Channel, complain, describe, execute, prepare, take_job


def main() -> None:
    channel = Channel(os.environ.pop("KIT_CHANNEL"))
    sys.argv = ["main.py", *take_job()["argv"]]
    module, code = prepare("__main__")
    error = execute(module, code, channel).error
    if error is None:
        return
    if isinstance(error, SystemExit):
        raise SystemExit(error.code)
    channel.write({"kind": "output", **describe(error)})
    complain(error)
    sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)


main()
