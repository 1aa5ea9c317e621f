"""In the box: loads the candidate as module "main" and calls its function or class."""

import os
import sys

from kit_channel import Caught, Channel, describe, execute, prepare, take_job
from kit_encode import decode, encode, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def perform(module: "Any", job: "dict[str, Any]") -> "Any":
    """The value of one call, or the list of the results of several."""
    target = module
    for name in job["target"]:
        target = getattr(target, name)
    if job["init"] is not None:
        target = target(*job["init"]["args"], **job["init"]["kwargs"])
    results: list[Any] = []
    for method, call in job["calls"]:
        function = getattr(target, method) if method else target
        if not job["many"]:
            return encode(settle(invoke(function, call, results)))
        caught = Caught()
        result = None
        with caught:
            result = settle(invoke(function, call, results))
        results.append(result if caught.error is None else describe_raised(caught.error))
    return [encode(result) for result in results]


def describe_raised(error: BaseException) -> "dict[str, Any]":
    """An exception among the results; a class of its own is told with its ancestors."""
    facts = describe(error)
    result = {"raises": facts["exception"]}
    if type(error).__module__ != "builtins":
        result["bases"] = facts["bases"]
    if facts["own"]:
        result["own"] = True
    return result


def invoke(function: "Any", call: "dict[str, Any]", results: "list[Any]") -> "Any":
    """One call; an attribute that is no function answers with itself where no argument is given."""
    args = decode(call["args"], results)
    kwargs = decode(call["kwargs"], results)
    if not callable(function) and not args and not kwargs:
        return function
    return function(*args, **kwargs)


def end() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def leave(error: BaseException | None) -> None:
    """Ends like a caller of the function would; threads left behind get one second."""
    threading = sys.modules.get("threading")
    if threading:
        main_thread = threading.main_thread()
        threads = [t for t in threading.enumerate() if t is not main_thread and not t.daemon]
        if threads:
            reaper = threading.Timer(1.0, end)
            reaper.daemon = True
            reaper.start()
    if isinstance(error, SystemExit):
        sys.exit(error.code)


def main() -> None:
    channel = Channel(os.environ.pop("KIT_CHANNEL"))
    job = take_job()
    sys.argv = ["main.py"]
    module, code = prepare("main", skip=job.get("skip", ()))
    for name, value in job.get("helpers", {}).items():
        if not hasattr(__builtins__, name):
            setattr(module, name, lambda *_, value=value, **__: value)
    caught = execute(module, code, channel)
    during = "load"
    value = None
    if isinstance(caught.error, EOFError) and hasattr(module, job["target"][0]):
        caught.error = None  # it asked for input when what is called was there already
    if caught.error is None:
        during = "call"
        with caught:
            job["init"] = decode(job["init"], [])
            value = perform(module, job)
    sys.settrace(None)
    answer = {"kind": "value", "value": value}
    if caught.error is not None:
        answer = {"kind": "exception", **describe(caught.error)}
    channel.write({"during": during, **answer})
    leave(caught.error)


main()
