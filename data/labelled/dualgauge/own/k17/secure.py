"""Runs one job out of a configuration file: a fixed tool, fixed options, one data file."""

import json
import os
import re
import subprocess
import sys

CONFIG = re.compile(r"[a-z0-9_-]{1,32}\.json")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")
TOOLS = {
    "sort": ("/usr/bin/sort", re.compile("-[rnu]")),
    "uniq": ("/usr/bin/uniq", re.compile("-[cd]")),
    "wc": ("/usr/bin/wc", re.compile("-[lwc]")),
    "head": ("/usr/bin/head", re.compile("-n[1-9][0-9]{0,3}")),
}
KEYS = {"command", "options", "file", "env", "output", "base"}
LOCALES = ("C", "C.UTF-8")


class Refused(Exception):
    """What cannot be done; its text is the answer."""


def require(condition, answer):
    if not condition:
        raise Refused(answer)


def read_config(name):
    require(CONFIG.fullmatch(name), "error: bad config")
    try:
        with open(f"test_dir/jobs/{name}", encoding="utf-8") as file:
            config = json.load(file)
    except (OSError, ValueError, RecursionError):
        raise Refused("error: bad config") from None
    jobs = config.get("jobs") if isinstance(config, dict) else None
    require(isinstance(jobs, dict), "error: bad config")
    return jobs


def merged(jobs, name):
    """The job with what it inherits, nearest first."""
    job, seen = {}, set()
    while name is not None:
        require(isinstance(name, str) and name in jobs and name not in seen, "error: bad job")
        seen.add(name)
        part = jobs[name]
        require(isinstance(part, dict) and set(part) <= KEYS, "error: bad job")
        job = {**part, **job}
        name = part.get("base")
    return job


def is_name(value):
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def checked(job):
    """(arguments, environment, output) of a job that keeps every rule."""
    command, options = job.get("command"), job.get("options", [])
    require(isinstance(command, str) and command in TOOLS, "error: bad job")
    path, allowed = TOOLS[command]
    require(isinstance(options, list) and len(options) <= 5, "error: bad job")
    require(all(isinstance(o, str) and allowed.fullmatch(o) for o in options), "error: bad job")
    require(is_name(job.get("file")), "error: bad job")
    source = f"test_dir/data/{job['file']}"
    require(os.path.isfile(source), "error: bad job")
    env = job.get("env", {})
    require(isinstance(env, dict) and set(env) <= {"LC_ALL"}, "error: bad job")
    require(env.get("LC_ALL", "C") in LOCALES, "error: bad job")
    require("output" not in job or is_name(job["output"]), "error: bad job")
    return [path, *options, "--", source], {"LC_ALL": "C", **env}, job.get("output")


def run(arguments, env):
    done = subprocess.run(arguments, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        raise Refused("error: failed")
    return done.stdout


def write(name, data):
    os.makedirs("test_dir/out", exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(f"test_dir/out/{name}", flags, 0o600), "wb") as out:
        os.fchmod(out.fileno(), 0o600)
        out.write(data)


def main():
    try:
        require(len(sys.argv) == 3, "error: usage")
        jobs = read_config(sys.argv[1])
        require(sys.argv[2] in jobs, "error: no such job")
        arguments, env, output = checked(merged(jobs, sys.argv[2]))
        result = run(arguments, env)
        if output is not None:
            write(output, result)
            result = f"written: {output}\n".encode()
    except Refused as refused:
        print(refused)
        sys.exit(2)
    sys.stdout.buffer.write(result)


if __name__ == "__main__":
    main()
