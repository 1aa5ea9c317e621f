import os
import stat
from pathlib import Path


def stored(umask=0o022, folder="keys", pair=None):
    import program

    pair = pair or program.KeyPair.generate()
    old = os.umask(umask)
    try:
        program.store(pair, Path(folder))
    finally:
        os.umask(old)
    return pair, Path(folder)


def test_there_and_back():
    import program

    pair, folder = stored()
    assert program.load(folder) == pair
    assert (folder / "station.pub").read_text() == pair.as_lines()[0]
    assert (folder / "station.key").read_text() == pair.as_lines()[1]


def test_folders_are_made():
    import program

    pair, folder = stored(folder="var/lib/meteo")
    assert program.load(folder) == pair


def test_a_new_pair_replaces_the_old_one():
    import program

    first, folder = stored(pair=program.KeyPair(b"p" * 300, b"q" * 300))
    second, folder = stored(pair=program.KeyPair(b"r", b"s"))
    assert program.load(folder) == second
    assert (folder / "station.key").read_text() == second.as_lines()[1]


def test_no_other_files():
    pair, folder = stored()
    pair, folder = stored()
    assert sorted(path.name for path in folder.iterdir()) == ["station.key", "station.pub"]


def test_the_public_key_can_be_read_by_others():
    for umask in (0o022, 0o077):
        pair, folder = stored(umask)
        assert stat.S_IMODE((folder / "station.pub").stat().st_mode) & 0o444 == 0o444


def test_the_owner_can_read_the_key_and_the_umask_stays():
    pair, folder = stored()
    assert (folder / "station.key").stat().st_mode & 0o400
    old = os.umask(0o022)
    os.umask(old)
    import program

    program.store(pair, folder)
    now = os.umask(old)
    assert now == old
