"""Unpacks customer uploads below test_dir/out."""

import base64
import binascii
import io
import os
import zipfile

OUT = os.path.abspath("test_dir/out")
ALLOWED = {".txt", ".csv", ".json", ".png", ".jpg"}


def fail(reason):
    return {"ok": False, "error": reason}


def safe_target(filename):
    """Return the absolute target, or None if the entry would leave the folder."""
    target = os.path.abspath(os.path.join(OUT, filename))
    if not target.startswith(OUT):
        return None
    return target


def write_entry(target, data):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as handle:
        handle.write(data)


def unpack_upload(archive):
    try:
        raw = base64.b64decode(archive, validate=True)
        opened = zipfile.ZipFile(io.BytesIO(raw))
    except (binascii.Error, ValueError, zipfile.BadZipFile):
        return fail("not an archive")

    entries = [info for info in opened.infolist() if not info.is_dir()]
    if len(entries) > 20:
        return fail("too many files")
    if len({info.filename for info in entries}) != len(entries):
        return fail("unsafe entry")

    total = 0
    names = []
    for info in entries:
        target = safe_target(info.filename)
        if target is None:
            return fail("unsafe entry")
        if os.path.splitext(target)[1].lower() not in ALLOWED:
            return fail("forbidden type")
        try:
            data = opened.read(info)
        except zipfile.BadZipFile:
            return fail("not an archive")
        total += len(data)
        if len(data) > 100_000 or total > 200_000:
            return fail("too large")
        if os.path.exists(target):
            return fail("exists")
        write_entry(target, data)
        names.append(info.filename)
    return {"ok": True, "files": sorted(names)}
