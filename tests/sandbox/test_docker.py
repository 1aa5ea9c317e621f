"""What is particular to containers: the engine, the image, and what a dead kit leaves behind."""

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import docker as docker_py
import pytest

from kit.core.errors import KitError
from kit.core.records import Status
from kit.sandbox import Sandbox, docker, open_sandbox
from kit.sandbox.base import Command, Limits

IDLE = Command(("/bin/true",), {}, b"", {}, Limits(), True, {}, False, {}, {})


@pytest.fixture(scope="module")
def client(dockerd: None) -> Iterator[docker_py.DockerClient]:  # noqa: ARG001
    with contextlib.closing(docker.connect_to_engine()) as opened:
        yield opened


@pytest.fixture(scope="module")
def box(dockerd: None) -> Iterator[Sandbox]:  # noqa: ARG001
    with open_sandbox("docker") as opened:
        yield opened


def test_another_list_of_packages_is_another_image(monkeypatch):
    before = docker.image_tag()
    assert docker.image_tag() == before
    monkeypatch.setenv("KIT_IMAGE", "languages")
    assert docker.image_tag() != before
    monkeypatch.setenv("KIT_IMAGE", "cobol")
    with pytest.raises(KitError, match="'cobol'. Use one of: core, languages"):
        docker.image_tag()


def test_what_a_container_brings_out_is_read_member_by_member():
    assert docker.unpack_remains(b"").files == {}
    listing = b"f 1 4 /box/a\0l 1 9 /box/l\0" + docker.LISTED
    tar = docker.pack_inputs(replace(IDLE, files={"a": b"data"}))
    found = docker.unpack_remains(
        b"/sys/x/memory.oom_control oom_kill 2\n\0" + listing + tar[:-600]
    )
    assert found.oom
    assert [entry[3] for entry in found.listed] == [b"/box/a", b"/box/l"]
    assert found.files[b"box/a"] == (b"data", 0o644)


def test_without_an_engine_the_mend_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert "apt-get install docker.io" in docker.missing()
    with pytest.raises(KitError, match="dockerd"):
        open_sandbox("docker")


@pytest.mark.slow
def test_no_container_outlives_its_run(client, box):
    box.run(["/bin/true"])
    box.run(["/bin/sleep", "60"], limits=Limits(wall_s=0.5))
    with pytest.raises(KitError):
        box.run(["/bin/true"], files={"../x": b""})
    left = client.containers.list(
        all=True, filters={"label": f"{docker.LABEL}={docker.container_owner()}"}
    )
    assert left == []


@pytest.mark.slow
def test_containers_of_dead_kits_are_swept_and_others_are_not(client):
    with subprocess.Popen(["/bin/true"]) as dead:
        dead.wait()
    host, _, _ = docker.container_owner().rpartition("/")
    made = [
        client.containers.create(
            docker.ensure_image(client), ["/bin/true"], network_mode="none", labels=labels
        )
        for labels in (
            {docker.LABEL: f"{host}/{dead.pid}"},
            {docker.LABEL: docker.container_owner()},
            {docker.LABEL: f"another-machine/{dead.pid}"},
            {},
        )
    ]
    try:
        docker.remove_dead_containers(client)
        left = {found.id for found in client.containers.list(all=True)}
        assert [c.id in left for c in made] == [False, True, True, True]
    finally:
        for one in made[1:]:
            one.remove(force=True)


@pytest.mark.slow
def test_the_container_is_closed_as_configured(client):
    made = docker.create_container(client, docker.ensure_image(client), IDLE)
    try:
        config = made.attrs["HostConfig"]
        assert config["NetworkMode"] == "none"
        assert config["ReadonlyRootfs"]
        assert not config["Privileged"]
        assert config["CapDrop"] == ["ALL"]
        assert config["Memory"] == config["MemorySwap"] == Limits().memory_mb << 20
        assert not config["Binds"]
        assert "no-new-privileges:true" in config["SecurityOpt"]
    finally:
        made.remove(force=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("for n in range(10): open(f's{n}', 'w').truncate(30 << 20)", 1),
        ("for n in range(5): open(f'o{n}', 'wb').write(b'x' * (1 << 20))", 5),
        ("print('x' * 5_000_000)", 0),
    ],
    ids=["sparse", "files", "output"],
)
def test_what_a_program_leaves_is_never_our_failure(box, code, kept):
    seen = box.run(["/usr/bin/python3", "-c", code], limits=Limits(output_kb=8192))
    assert (seen.status, len(seen.files)) == (Status.COMPLETED, kept)


@pytest.mark.slow
def test_the_program_has_no_capability_though_its_parent_has(box):
    seen = box.run(["/bin/grep", "-E", "^(Cap|Uid|NoNew|Seccomp:)", "/proc/self/status"])
    assert (seen.status, seen.note) == (Status.COMPLETED, "")
    said = dict(line.split(":\t", 1) for line in seen.out.splitlines())
    assert said["Uid"].split() == ["65534"] * 4
    assert int(said["CapEff"], 16) == int(said["CapPrm"], 16) == 0
    assert (said["NoNewPrivs"], said["Seccomp"]) == ("1", "2")
