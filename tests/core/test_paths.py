import pytest

from kit.core.paths import network_filesystem, replace_whole


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "rows.csv"
    replace_whole(path, "é\r\n")
    assert path.read_bytes() == b"\xc3\xa9\r\n"
    replace_whole(path, b"\xff")
    assert path.read_bytes() == b"\xff"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("data", ["x", "\ud800"])
def test_what_cannot_be_written_leaves_nothing_behind(tmp_path, data):
    (tmp_path / "taken").mkdir()
    with pytest.raises((OSError, UnicodeEncodeError)):
        replace_whole(tmp_path / "taken", data)
    assert list(tmp_path.iterdir()) == [tmp_path / "taken"]


def test_the_innermost_mount_says_whether_a_folder_is_on_a_network(tmp_path):
    mounts = {"/": "ext4", str(tmp_path): "nfs4", str(tmp_path / "scratch"): "xfs"}
    assert network_filesystem(tmp_path / "runs" / "not there yet", mounts) == "nfs4"
    assert network_filesystem(tmp_path / "scratch" / "runs", mounts) == ""
    assert network_filesystem(tmp_path.parent, mounts) == ""
    assert network_filesystem(tmp_path) == ""
