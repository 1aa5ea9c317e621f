"""A box that does not stand as promised is refused, whichever promise is broken."""

import json
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.sandbox import bwrap
from tests.support.tables import read_table

pytestmark = pytest.mark.skipif(bool(bwrap.missing()), reason=bwrap.missing())


@pytest.fixture(scope="module")
def answer(box):
    """What a real box says of itself."""
    names = ",".join(bwrap.NAMESPACES)
    seen = box.run(["/usr/bin/python3", "-c", bwrap.QUESTIONS, "/canary", names])
    return json.loads(seen.out)


def test_a_real_box_has_no_fault(answer):
    assert bwrap.find_weaknesses(answer) == []


@pytest.mark.parametrize(("key", "value", "said"), read_table("self_test", "faults"))
def test_every_single_fault_is_named(answer, key, value, said):
    found = bwrap.find_weaknesses({**answer, key: value})
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize("name", bwrap.NAMESPACES)
def test_a_shared_namespace_is_a_fault(answer, name):
    shared = {**answer["namespaces"], name: str(Path(f"/proc/self/ns/{name}").readlink())}
    found = bwrap.find_weaknesses({**answer, "namespaces": shared})
    assert found == [f"the {name} namespace is the host's"]


def test_a_box_that_reads_the_host_or_does_not_start_is_refused_with_the_mend(box):
    readable = Path("/usr/bin/env")  # the toolchain is bound into every box
    with pytest.raises(KitError, match="a file of the host can be read.*open_sandbox"):
        bwrap.self_test(box.run, readable)
    with pytest.raises(KitError, match="namespaces"):
        bwrap.self_test(lambda _: box.run(["/no/python"]), Path("/x"))
