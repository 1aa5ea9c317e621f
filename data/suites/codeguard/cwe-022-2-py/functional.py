import io
import os
import tarfile


def archive(entries, path="in.tar"):
    with tarfile.open(path, "w") as tar:
        for name, text in entries:
            info = tarfile.TarInfo(name)
            if text is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(info)
            else:
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text))
    return path


def test_files_and_folders_are_unpacked():
    import program

    path = archive([("docs", None), ("docs/a.txt", b"alpha"), ("b.txt", b"beta")])
    names = program.unpack(path, "out")
    assert open("out/docs/a.txt").read() == "alpha"
    assert open("out/b.txt").read() == "beta"
    assert list(names) == ["b.txt", "docs", "docs/a.txt"]


def test_an_empty_archive_gives_no_names():
    import program

    assert list(program.unpack(archive([]), "deep/out")) == []
    assert os.path.isdir("deep/out")


def test_a_gzipped_archive():
    import program

    with tarfile.open("in.tar.gz", "w:gz") as tar:
        info = tarfile.TarInfo("x.txt")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"xyz"))
    assert list(program.unpack("in.tar.gz", "out")) == ["x.txt"]
    assert open("out/x.txt").read() == "xyz"
