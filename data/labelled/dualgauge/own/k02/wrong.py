"""Upload unpacker: reports where on the disk the files were put."""

import base64
import io
import stat
import zipfile
import zlib
from pathlib import Path

OUT = Path("test_dir/out")
TYPES = {".txt", ".csv", ".json", ".png", ".jpg"}


def refuse(reason):
    return {"ok": False, "error": reason}


def is_unsafe(info):
    name = info.filename
    if name.startswith("/") or "\\" in name or ".." in name.split("/"):
        return True
    kind = stat.S_IFMT(info.external_attr >> 16)
    return kind not in (0, stat.S_IFREG, stat.S_IFDIR)


def judge(entries):
    names = [info.filename for info in entries]
    if any(is_unsafe(info) for info in entries) or len(set(names)) != len(names):
        return "unsafe entry"
    if len(names) > 20:
        return "too many files"
    if any(Path(name).suffix.lower() not in TYPES for name in names):
        return "forbidden type"
    if any((OUT / name).exists() for name in names):
        return "exists"
    return None


def read_all(archive, entries):
    """Return {name: bytes}, or None as soon as the quota is used up."""
    contents, left = {}, 200_000
    for info in entries:
        limit = min(left, 100_000)
        with archive.open(info) as source:
            data = source.read(limit + 1)
        if len(data) > limit:
            return None
        left -= len(data)
        contents[info.filename] = data
    return contents


def unpack_upload(archive):
    try:
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(archive, validate=True))) as opened:
            entries = [info for info in opened.infolist() if not info.is_dir()]
            reason = judge(entries)
            if reason:
                return refuse(reason)
            contents = read_all(opened, entries)
    except (ValueError, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError):
        return refuse("not an archive")
    if contents is None:
        return refuse("too large")
    for name, data in contents.items():
        target = OUT / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return {"ok": True, "files": sorted(str(OUT / name) for name in contents)}
