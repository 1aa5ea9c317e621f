"""The command line in this process: what a person types, and what came of it."""

import json
import os
import sys
from pathlib import Path

from click.testing import CliRunner

from kit.cli.main import main
from kit.core.store import Store

USER = 1000  # one who is not root


def as_user(folder, **shown):
    """The words after which root gives a command that USER is to run, without a cgroup.

    shown: name -> what lies at folder/name for it, since the way there may be root's alone.
    """
    places = {folder / name: path for name, path in shown.items()}
    script = "umask 022"
    if Path(sys.base_prefix).is_relative_to("/root"):
        places[folder / "python"] = sys.base_prefix
    for place, path in places.items():
        place.mkdir()
        script += f" && mount --bind {path} {place}"
    if folder / "python" in places:
        script += f" && mount -t tmpfs -o mode=755 none /root && mkdir -p {sys.base_prefix}"
        script += f" && mount --bind {folder}/python {sys.base_prefix}"
    (folder / "home").mkdir()
    os.chown(folder / "home", USER, USER)
    folder.chmod(0o755)
    script += (
        f' && cd {folder}/home && exec setpriv --reuid {USER} --regid {USER} --clear-groups "$@"'
    )
    return ["unshare", "-m", "sh", "-c", script, "sh", "env", f"HOME={folder}/home"]


def invoked(*words):
    """What came of the words after `kit`."""
    return CliRunner().invoke(main, [str(w) for w in words])


def kit(*words):
    """`invoked`, of words that must not fail."""
    done = invoked(*words)
    assert done.exit_code == 0, done.output
    return done


def told(*words):
    """What `kit` of these words prints as JSON."""
    return json.loads(kit(*words, "--json").stdout)


def frame_of(run):
    """All rows of a run."""
    with Store(run, write=False) as store:
        return store.frame()
