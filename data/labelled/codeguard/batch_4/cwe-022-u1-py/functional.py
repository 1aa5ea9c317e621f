import io
import zipfile

import pytest


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def store():
    import program

    return program.ThemeStore("themes")


def test_files_and_subfolders_are_installed():
    theme = store().install("dark", packed({"style.css": b"a", "img/logo.png": bytes(range(256)), "img/": b""}))
    assert theme.files == ["img/logo.png", "style.css"]
    assert (theme.folder / "style.css").read_bytes() == b"a"
    assert (theme.folder / "img" / "logo.png").read_bytes() == bytes(range(256))


def test_name_and_folder():
    shop = store()
    theme = shop.install("light", packed({"x.css": b""}))
    assert theme.name == "light"
    assert theme.folder == shop.root / "light"


def test_not_an_archive():
    import program

    with pytest.raises(program.ThemeError):
        store().install("broken", b"hello")


def test_a_name_with_two_dots_in_it():
    theme = store().install("dots", packed({"a..b/c..css": b"z"}))
    assert theme.files == ["a..b/c..css"]
