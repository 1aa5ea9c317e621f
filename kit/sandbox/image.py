"""The image of the Docker tier, built here from a list of Debian packages."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import docker
from docker.errors import APIError, BuildError, ImageNotFound

from kit.errors import KitError

FOLDER = Path(__file__).with_name("images")
SUITE = "bookworm"
NAME = "kit-sandbox"


def packages() -> list[str]:
    """The packages of images/core.txt, or of the list that the variable KIT_IMAGE names."""
    lines = (FOLDER / f"{_list()}.txt").read_text().splitlines()
    return list(dict.fromkeys(line.split()[0] for line in lines if not line.startswith("#")))


def _list() -> str:
    name, known = os.environ.get("KIT_IMAGE", "core"), sorted(p.stem for p in FOLDER.glob("*.txt"))
    if name not in known:
        raise KitError(f"Unknown image KIT_IMAGE={name!r}. Use one of: {', '.join(known)}.")
    return name


def tag() -> str:
    """NAME:<hash of the recipe>: another list, another image."""
    recipe = "\n".join([SUITE, *packages(), (FOLDER / "Dockerfile").read_text()])
    return f"{NAME}:{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def ensure(client: docker.DockerClient) -> str:
    """The id of the image, which is built if it is not there."""
    with contextlib.suppress(ImageNotFound):
        return str(client.images.get(tag()).id)
    if not _from_registry(client):
        _from_packages(client)
    return str(client.images.get(tag()).id)


def _from_registry(client: docker.DockerClient) -> bool:
    """Build images/Dockerfile; False where no registry answers."""
    try:
        client.images.pull("debian", tag=f"{SUITE}-slim")
        client.images.build(
            path=str(FOLDER), tag=tag(), buildargs={"SUITE": SUITE, "LIST": _list()}, rm=True
        )
    except (APIError, BuildError):
        return False
    return True


def _from_packages(client: docker.DockerClient) -> None:
    """The same image without a registry: a root file system made by mmdebstrap, then imported."""
    if not shutil.which("mmdebstrap"):
        raise KitError(
            "No registry answers and mmdebstrap is not installed; type: apt-get install mmdebstrap"
        )
    line = ["mmdebstrap", "--variant=minbase", f"--include={','.join(packages())}", SUITE, "-"]
    with tempfile.TemporaryFile() as root:
        made = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=root, stderr=subprocess.PIPE)
        if made.returncode:
            said = made.stderr.decode(errors="replace").strip()
            raise KitError(f"mmdebstrap could not build the image: {said[-300:]}")
        root.seek(0)
        repository, _, version = tag().partition(":")
        client.api.import_image_from_data(root, repository=repository, tag=version)
