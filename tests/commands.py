"""The command line in this process: what a person types, and what came of it."""

import json

from click.testing import CliRunner

from kit.cli.main import main
from kit.store import Store


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
