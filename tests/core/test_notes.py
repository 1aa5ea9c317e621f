import pytest

from kit.core import notes


def test_nobody_asked_and_nothing_is_written(monkeypatch):
    monkeypatch.delenv(notes.VARIABLE, raising=False)
    assert notes.note("comparison", matched=1) is False


def test_notes_come_back_in_order(tmp_path, monkeypatch):
    monkeypatch.setenv(notes.VARIABLE, str(tmp_path / "notes"))
    assert notes.note("comparison", table="é", matched=1)
    assert notes.note("figure", name="f")
    assert notes.read_file(tmp_path / "notes") == [
        {"kind": "comparison", "table": "é", "matched": 1},
        {"kind": "figure", "name": "f"},
    ]


def test_an_unfinished_line_is_left_out_and_no_file_has_no_notes(tmp_path):
    (tmp_path / "notes").write_text('{"kind": "a"}\n{"kind": "b"')
    assert notes.read_file(tmp_path / "notes") == [{"kind": "a"}]
    assert notes.read_file(tmp_path / "none") == []


def test_what_is_not_json_is_refused_before_a_byte_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv(notes.VARIABLE, str(tmp_path / "notes"))
    with pytest.raises(TypeError):
        notes.note("comparison", matched={1})
    assert not (tmp_path / "notes").exists()
