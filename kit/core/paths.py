"""Locates the project's folders, runs and caches; writes files atomically."""

import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import psutil

from kit.core.errors import KitError

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "kit" / "shipped"  # in a wheel, what a checkout has beside the code
INSTALLED = SHIPPED.is_dir()
RUN_FILE = "run.sqlite"
TOUR = Path("notebooks", "00_tour.ipynb")


HOME = ROOT
if INSTALLED:  # it writes to the nearest parent with its notebooks, or to this folder
    HOME = Path.cwd()
    for _parent in (HOME, *HOME.parents):
        if (_parent / TOUR).is_file():
            HOME = _parent
            break
DATA = (SHIPPED if INSTALLED else ROOT) / "data"
SUITES = DATA / "suites"
REFERENCES = DATA / "labelled" / "dualgauge" / "own"
RECORDED = DATA / "runs"
RUNS = HOME / "runs" if INSTALLED else RECORDED
PUBLISHED = DATA / "published"
NOTEBOOKS = (HOME if (HOME / TOUR).is_file() else SHIPPED) / "notebooks"
FIGURES = HOME / "figures"
PAPERMILL_RUNS = HOME / "papermill_runs"
SYSTEM_CACHE = Path("/var/cache/securecode-kit")
# SQLite's log needs memory that all who have the file open share: https://sqlite.org/wal.html
OVER_NETWORK = frozenset(
    "nfs nfs4 cifs smb3 afs ceph lustre gpfs beegfs glusterfs "
    "fuse.sshfs fuse.glusterfs fuse.s3fs fuse.rclone".split()
)
# In a folder that a run may begin in: a recording, figures; else a run's file or its folder.
_OURS = ("samples.jsonl", "figures")


def run_path(run: str | Path) -> Path:
    """The SQLite file of a run, given its name below data/runs, its folder or the file itself."""
    path = Path(run)
    if path.suffix == ".sqlite":
        return path
    folder = path if path.is_dir() or len(path.parts) > 1 else run_folder(path)
    return folder / RUN_FILE


def run_folder(name: str | Path) -> Path:
    """The folder of a run or recording by its name: one's own, else the shipped one."""
    mine = RUNS / name
    shipped = RECORDED / name
    is_only_shipped = INSTALLED and shipped.exists() and not mine.exists()
    return shipped if is_only_shipped else mine


def runs_with(file: str) -> list[str]:
    """The names of the runs and recordings that have such a file."""
    names = set[str]()
    for home in (RUNS, RECORDED):
        paths = home.glob(f"[!_]*/{file}")  # a leading _ marks a copy
        names.update(path.parent.name for path in paths)
    return sorted(names)


def path_to_read(path: Path) -> Path:
    """Where to read a file of DATA: one's own copy, if there is one, else `path`."""
    mine = _own_copy(path)
    return mine if mine.exists() else path


def path_to_write(path: Path) -> Path:
    """Where to write a file of DATA: in an installed kit a copy in HOME, made now; else `path`."""
    mine = _own_copy(path)
    if mine != path and not mine.exists():
        mine.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, mine)
        elif path.exists():
            shutil.copyfile(path, mine)
    return mine


def _own_copy(path: Path) -> Path:
    is_shipped = INSTALLED and path.is_relative_to(DATA)
    return HOME / path.relative_to(DATA) if is_shipped else path


def require_run(run: str | Path) -> Path:
    """The run's file; if it does not exist, a KitError with the command that makes it."""
    path = run_path(run)
    if not path.is_file():
        names = ", ".join(runs_with(RUN_FILE)) or "none yet"
        raise KitError(f"No run at {path}. {_name_command(path.parent)} Known runs: {names}.")
    return path


def _name_command(folder: Path) -> str:
    """A sentence with the command that makes a run of this folder's name."""
    kind, _, suite = folder.name.partition("-")
    if kind == "validate" and suite:
        return f"Make it with `kit validate {suite}`."
    if (folder / "samples.jsonl").is_file():
        return (
            f"This is a recording: make a run of it with `kit run SUITE --model replay:{folder}`."
        )
    return "Make it with `kit run SUITE --model MODEL` or `kit evaluate SUITE --programs FOLDER`."


def network_filesystem(folder: Path, mounts: Mapping[str, str] | None = None) -> str:
    """The kind of network file system on which a folder lies or would lie, "" for a local one.

    mounts: place -> kind, those of this machine by default; the innermost above the folder counts.
    """
    if mounts is None:
        mounts = {p.mountpoint: p.fstype for p in psutil.disk_partitions(all=True)}
    place = folder.resolve()
    for parent in (place, *place.parents):
        kind = mounts.get(str(parent))
        if kind is not None:
            return kind if kind in OVER_NETWORK else ""
    return ""


def begun_folder(path: Path) -> None:
    """Create the folder of a run's file; KitError if that fails or the folder has other files."""
    folder = path.parent
    mend = "with --run FOLDER."
    if kind := network_filesystem(folder):
        raise KitError(
            f"The folder {folder} is on a network file system ({kind}), where "
            f"SQLite's log does not work. Choose one on a local disk {mend}"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        entries = list(folder.iterdir())
    except OSError as error:
        raise KitError(
            f"The folder {folder} cannot be created ({error.strerror}). Choose another {mend}"
        ) from None
    if path.name == RUN_FILE and entries and not any(map(_is_of_run, entries)):
        raise KitError(f"The folder {folder} has other files and no run. Choose another {mend}")


def _is_of_run(entry: Path) -> bool:
    is_named_so = entry.name.startswith(RUN_FILE) or entry.name in _OURS
    return is_named_so or (entry / RUN_FILE).exists()


def read_files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its path, except the .pyc files, which pip makes too."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


def read_text(path: Path) -> str:
    """A file's text; KitError that names the file where it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        sentence = f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8."
        raise KitError(sentence) from None


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; KitError that names the file where it is none."""
    try:
        data: dict[str, Any] = json.loads(read_text(path))
        return data
    except ValueError as error:
        raise KitError(f"{path} is not JSON: {error}. Fix the file.") from None


def replace_whole(path: Path, data: str | bytes) -> None:
    """Write a file, text in UTF-8, so that no reader ever sees half of it; OSError on failure.

    A file beside it is written and renamed; if that fails, the old content stays.
    """
    with open_replacement(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def open_replacement(path: Path) -> Iterator[BinaryIO]:
    """A file beside `path` to write into, which replaces it at the end; see `replace_whole`."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(place: Path) -> Iterator[Path]:
    """A path at which to make a folder, which moves to `place` at the end, readable by everybody.

    If another process was first, its folder stays. KitError if `place` cannot be written.
    """
    make_readable(place.parent)
    prefix = f".part-{os.getpid()}-"
    with TemporaryDirectory(prefix=prefix, dir=place.parent, ignore_cleanup_errors=True) as part:
        folder = Path(part) / "whole"
        yield folder
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                can_be_entered = path.is_dir() or path.stat().st_mode & 0o100
                path.chmod(0o755 if can_be_entered else 0o644)
        with suppress(OSError):  # another process may have been first
            folder.rename(place)
        if not place.exists():
            raise KitError(f"{place} is not writable. Set KIT_CACHE to another folder.")


def make_readable(folder: Path) -> None:
    """Make a folder, and those above it that are missing, readable by everybody."""
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            path.mkdir(exist_ok=True)
            path.chmod(0o755)


def cache_root() -> Path:
    """$KIT_CACHE, else a folder that the sandbox's user can reach too."""
    if named := os.environ.get("KIT_CACHE"):
        return Path(named)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return SYSTEM_CACHE if os.geteuid() == 0 else home / "securecode-kit"
