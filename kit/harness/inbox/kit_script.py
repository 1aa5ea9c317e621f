"""In the box: runs the candidate as `python3 main.py ...` would, under the tracer."""

import os
import sys

from kit_channel import Channel, describe, execute, prepare, take_job


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
    trace = error.__traceback__
    sys.excepthook(type(error), error, trace.tb_next if trace else None)
    sys.exit(130 if isinstance(error, KeyboardInterrupt) else 1)


main()
