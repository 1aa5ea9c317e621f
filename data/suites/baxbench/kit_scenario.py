"""In the box: one test of a scenario on one application; or what the scenarios of a clone say.

The clone's Python is loaded and its text removed before the application starts, in another process
which cannot look into this one. Events count from there.
"""

import http.client
import importlib
import inspect
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import kit_docker
from kit_channel import FOLDER, Channel, take_job
from kit_child import Pulse
from kit_docker import WORKDIR, State

CLONE = os.path.abspath(f"{FOLDER}/clone")
OURS = "/kit"  # for what no application has to see
ONLY_PINNED = "import sys\nsys.path[:] = [p for p in sys.path if not p.endswith('dist-packages')]\n"
TAIL = 4000  # characters of a log that are sent


def main() -> None:
    channel = Channel(os.environ.pop("KIT_CHANNEL"))
    job = take_job()
    sys.path[:0] = [CLONE, *job["site"]]
    sys.dont_write_bytecode = True
    kit_docker.stand_in()
    if "function" in job:
        test_application(channel, job)
    elif "reminder" in job:
        write_prompts(channel, job)
    else:
        describe_clone(channel, job)


def import_clone() -> tuple[Any, list[str]]:
    """The clone's package of scenarios, and the packages without which some of them do not run."""
    missing: list[str] = []
    while True:
        try:
            return importlib.import_module("scenarios"), missing
        except ModuleNotFoundError as error:
            name = str(error.name)
            if name in missing:
                raise
            missing.append(name)
            sys.modules[name] = ModuleType(name)
            vars(sys.modules[name])["__getattr__"] = lambda _name: None
            for loaded in [*sys.modules]:
                if loaded.partition(".")[0] == "scenarios":
                    del sys.modules[loaded]


def write_prompts(channel: Channel, job: dict[str, Any]) -> None:
    """What models are asked, by the clone's own code: the prompt of each scenario by its id."""
    package, _ = import_clone()
    environments = importlib.import_module("env").all_envs
    (env,) = [env for env in environments if env.id == job["framework"]]
    prompts = {}
    for scenario in package.all_scenarios:
        parameters = inspect.signature(scenario.build_prompt).parameters
        more = {"agent": False} if "agent" in parameters else {}
        prompts[scenario.id] = scenario.build_prompt(env, job["spec"], job["reminder"], **more)
    channel.write({"prompts": prompts})


def describe_clone(channel: Channel, job: dict[str, Any]) -> None:
    """Sends the frameworks, the scenarios, and which of the commands there are in the box."""
    package, missing = import_clone()
    found = [name for name in job["commands"] if shutil.which(name, path="/usr/bin:/bin")]
    channel.write({"commands": found})
    for env in importlib.import_module("env").all_envs:
        names = ("language", "code_filename", "dockerfile", "entrypoint_cmd", "port")
        facts = {name: getattr(env, name) for name in (*names, "manifest_files")}
        channel.write({"framework": env.id, **facts})
    for scenario in package.all_scenarios:
        tests = [describe_test(function, "functional") for function in scenario.functional_tests]
        tests += [describe_test(function, "security") for function in scenario.security_tests]
        module = sys.modules[scenario.functional_tests[0].__module__]
        text = inspect.getsource(module)
        lacking = [n for n in missing if re.search(rf"^\s*(import|from) {n}\b", text, re.M)]
        channel.write(
            {
                "scenario": scenario.id,
                "title": scenario.short_app_description,
                "api": scenario.api_spec,
                "module": module.__name__,
                "tests": tests,
                "needs": scenario.needed_packages,
                "lacking": lacking,
            }
        )


def describe_test(function: Any, kind: str) -> dict[str, Any]:
    """Where it stands, and the weaknesses that its text names."""
    weaknesses = importlib.import_module("cwes").CWE
    numbers = []
    for name in re.findall(r"\bCWE\.(\w+)", inspect.getsource(function)):
        if kind == "security" and hasattr(weaknesses, name):
            numbers.append(weaknesses[name].value["num"])
    place = f"{function.__module__}:{function.__name__}"
    return {"kind": kind, "function": place, "cwes": list(dict.fromkeys(numbers))}


def test_application(channel: Channel, job: dict[str, Any]) -> None:
    """Starts the application, performs one test on it, and sends what came of it."""
    os.makedirs(f"{OURS}/scratch")
    tempfile.tempdir = f"{OURS}/scratch"
    lines: list[str] = []
    test, app = load_test(job, lines)
    remove_texts()
    Pulse.prepare()  # not `hide`: of a hidden process the watcher cannot perform unlinkat
    os.access("/kit-begin", os.F_OK)
    output = os.memfd_create("output")
    server = State.server = start_application(job, output)
    is_ready = await_application(server, job)
    answer: dict[str, Any] = {"ready": is_ready}
    if is_ready:
        threading.Thread(target=kit_docker.guard_memory, daemon=True).start()
        answer |= perform_test(test, app, job["test_s"])
        time.sleep(0.1)  # of a process that ended, its parent hears a little later
        answer |= {"died": kit_docker.has_died(), "too_large": State.was_too_large}
    size = os.fstat(output).st_size
    said = os.pread(output, TAIL, max(0, size - TAIL)).decode(errors="replace")
    channel.write({**answer, "marked": State.marked, "log": "\n".join(lines)[-TAIL:], "said": said})
    os._exit(0)  # whatever threads the test has left


def load_test(job: dict[str, Any], lines: list[str]) -> tuple[Any, Any]:
    """The test's function, and the application as the clone describes it to tests."""
    kit_docker.replace_helpers(importlib.import_module("exploits"))
    module, _, name = job["function"].partition(":")
    test = getattr(importlib.import_module(module), name)
    environments = importlib.import_module("env").all_envs
    (env,) = [env for env in environments if env.id == job["framework"]]
    kind = importlib.import_module("scenarios.base").AppInstance
    logger = logging.Logger("test", logging.INFO)
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage()[:500])  # type: ignore[method-assign]
    logger.addHandler(handler)
    return test, kind(job["port"], Path(f"{OURS}/log"), "box", env, logger)


def remove_texts() -> None:
    """The application finds neither tests nor runner; pictures and the like stay for the test."""
    for folder, _, names in os.walk(FOLDER):
        for name in names:
            if folder == FOLDER or name.endswith(".py"):
                os.unlink(os.path.join(folder, name))


def start_application(job: dict[str, Any], output: int) -> "subprocess.Popen[bytes]":
    """The first process of the application in its folder, with the pinned packages alone."""
    for path, text in job["files"].items():
        place = os.path.join(WORKDIR, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    os.makedirs(f"{OURS}/site")
    Path(f"{OURS}/site/sitecustomize.py").write_text(ONLY_PINNED)
    with suppress(FileNotFoundError):
        os.unlink("/node_modules")  # of every box: Debian's packages
    with suppress(FileExistsError):
        os.symlink("/opt/node_modules", f"{WORKDIR}/node_modules")
    env: dict[str, str] = {
        **os.environ,
        "PYTHONPATH": f"{OURS}/site:/opt/python",
        **job["environment"],
    }
    env["PATH"] += ":/opt/node_modules/.bin"
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
    for line in job["prepare"]:
        subprocess.run(line, shell=True, cwd=WORKDIR, env=env, check=False, **streams)
    command = ["/bin/sh", "-c", f"exec {job['command']}"]
    return subprocess.Popen(command, cwd=WORKDIR, env=env, start_new_session=True, **streams)


def await_application(server: "subprocess.Popen[bytes]", job: dict[str, Any]) -> bool:
    """Whether it answers to GET / in time, with anything."""
    pulse = Pulse(server.pid)
    while not pulse.over(job["start_s"], idle_s=5.0):
        link = http.client.HTTPConnection("localhost", job["port"], timeout=60)
        try:
            link.request("GET", "/")
            link.getresponse().read()
            return True
        except (OSError, http.client.HTTPException):
            if kit_docker.has_died():
                return False
            time.sleep(0.05)
        finally:
            link.close()
    return False


def perform_test(test: Any, app: Any, seconds: float) -> dict[str, Any]:
    """What the test returned (sets as sorted numbers of CWEs), or the exception that ended it."""
    answer: dict[str, Any] = {}

    def perform() -> None:
        try:
            returned = test(app)
        except BaseException as error:
            answer["exception"] = f"{type(error).__name__}: {error}"[:500]
            return
        if isinstance(returned, (set, frozenset)):
            returned = sorted(cwe.value["num"] for cwe in returned)
        elif returned is not None:
            returned = bool(returned)
        answer["returned"] = returned

    thread = threading.Thread(target=perform, daemon=True)
    thread.start()
    thread.join(seconds)
    return dict(answer) or {"exception": f"TimeoutError: it did not end within {seconds:.0f} s"}


if __name__ == "__main__":
    main()
