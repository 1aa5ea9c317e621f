import io
import zipfile


def archive(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, text in members.items():
            file.writestr(name.replace("__", "/").replace("_", "."), text)
    return buffer.getvalue()


def store():
    import program

    return program.AttachmentStore("tickets")


def test_files_and_subfolders():
    names = store().unpack(7, archive(screen_txt="one", logs__app_log="two"))
    assert names == ["logs/app.log", "screen.txt"]
    assert open("tickets/ticket-7/logs/app.log").read() == "two"
    assert open("tickets/ticket-7/screen.txt").read() == "one"


def test_an_older_file_is_replaced():
    store().unpack(7, archive(a_txt="a long text of old"))
    assert store().unpack(7, archive(a_txt="new")) == ["a.txt"]
    assert open("tickets/ticket-7/a.txt").read() == "new"


def test_entries_for_folders():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("docs/", b"")
        file.writestr("docs/a.txt", b"a")
    assert store().unpack(8, buffer.getvalue()) == ["docs/a.txt"]


def test_no_archive():
    try:
        store().unpack(9, b"plain text")
    except ValueError:
        return
    raise AssertionError("accepted")
