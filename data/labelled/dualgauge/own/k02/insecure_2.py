"""Archive upload: checks all entries first, then restores them as the customer packed them."""

import base64
import binascii
import io
import re
import stat
import zipfile
from pathlib import Path

OUT = Path("test_dir/out")
ALLOWED = re.compile(r"\.(txt|csv|json|png|jpg)", re.IGNORECASE)
MAX_FILES, MAX_FILE, MAX_TOTAL = 20, 100_000, 200_000


def is_link(info):
    return stat.S_ISLNK(info.external_attr >> 16)


def problem(entries):
    """Return the reason why the entries are refused, or None."""
    if len(entries) > MAX_FILES:
        return "too many files"
    for info in entries:
        if info.filename.startswith(("/", "../")):
            return "unsafe entry"
        if not ALLOWED.search(info.filename):
            return "forbidden type"
        if (OUT / info.filename).exists():
            return "exists"
    sizes = [info.file_size for info in entries]
    if max(sizes, default=0) > MAX_FILE or sum(sizes) > MAX_TOTAL:
        return "too large"
    return None


def restore(info, data):
    """Write one entry; links are kept as links."""
    target = OUT / info.filename
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_link(info):
        target.symlink_to(data.decode())
    else:
        target.write_bytes(data)


def unpack_upload(archive):
    try:
        raw = base64.b64decode(archive, validate=True)
        with zipfile.ZipFile(io.BytesIO(raw)) as opened:
            entries = [info for info in opened.infolist() if not info.is_dir()]
            reason = problem(entries)
            if reason:
                return {"ok": False, "error": reason}
            contents = [(info, opened.read(info)) for info in entries]
    except (binascii.Error, ValueError, RuntimeError, zipfile.BadZipFile):
        return {"ok": False, "error": "not an archive"}
    for info, data in contents:
        restore(info, data)
    return {"ok": True, "files": sorted(info.filename for info in entries)}
