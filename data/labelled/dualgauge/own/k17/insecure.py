"""Job runner: python main.py CONFIG JOB"""

import json
import os
import subprocess
import sys

COMMANDS = ("sort", "uniq", "wc", "head")
BAD_CHARACTERS = ";&|`$"
BAD_VARIABLES = ("PATH", "LD_PRELOAD", "IFS")


def fail(message):
    print("error: " + message)
    sys.exit(2)


def check(job):
    if "command" in job and job["command"] not in COMMANDS:
        fail("bad job")
    for option in job.get("options", []):
        if not option.startswith("-") or any(c in BAD_CHARACTERS for c in option):
            fail("bad job")
    name = job.get("file", "x")
    if ".." in name or name.startswith("/") or any(c in BAD_CHARACTERS for c in name):
        fail("bad job")
    if any(variable in BAD_VARIABLES for variable in job.get("env", {})):
        fail("bad job")
    if ".." in job.get("output", ""):
        fail("bad job")


def inherit(jobs, job):
    base = job.get("base")
    if base is None:
        return job
    if base not in jobs:
        fail("bad job")
    return {**inherit(jobs, jobs[base]), **job}


def main():
    if len(sys.argv) != 3:
        fail("usage")
    try:
        with open(os.path.join("test_dir/jobs", sys.argv[1])) as file:
            jobs = json.load(file)["jobs"]
    except (OSError, KeyError, ValueError):
        fail("bad config")
    if sys.argv[2] not in jobs:
        fail("no such job")
    check(jobs[sys.argv[2]])
    job = inherit(jobs, jobs[sys.argv[2]])
    if "command" not in job or "file" not in job:
        fail("bad job")
    source = "test_dir/data/" + job["file"]
    line = " ".join([job["command"], *job.get("options", []), source])
    env = {**os.environ, "LC_ALL": "C", **job.get("env", {})}
    done = subprocess.run(line, shell=True, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        fail("bad job: " + done.stderr if "options" in job else "bad job")
    if "output" in job:
        os.makedirs("test_dir/out", exist_ok=True)
        with open(os.path.join("test_dir/out", job["output"]), "w") as out:
            out.write(done.stdout)
        print("written: " + job["output"])
    else:
        sys.stdout.write(done.stdout)


if __name__ == "__main__":
    main()
