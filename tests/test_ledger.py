import pytest

from kit import ledger


def test_nobody_asked_and_nothing_is_written(monkeypatch):
    monkeypatch.delenv(ledger.VARIABLE, raising=False)
    assert ledger.note("comparison", matched=1) is False


def test_notes_come_back_in_order(tmp_path, monkeypatch):
    monkeypatch.setenv(ledger.VARIABLE, str(tmp_path / "notes"))
    assert ledger.note("comparison", table="é", matched=1)
    assert ledger.note("figure", name="f")
    assert ledger.read(tmp_path / "notes") == [
        {"kind": "comparison", "table": "é", "matched": 1},
        {"kind": "figure", "name": "f"},
    ]


def test_an_unfinished_line_is_left_out_and_no_file_has_no_notes(tmp_path):
    (tmp_path / "notes").write_text('{"kind": "a"}\n{"kind": "b"')
    assert ledger.read(tmp_path / "notes") == [{"kind": "a"}]
    assert ledger.read(tmp_path / "none") == []


def test_what_is_not_json_is_refused_before_a_byte_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv(ledger.VARIABLE, str(tmp_path / "notes"))
    with pytest.raises(TypeError):
        ledger.note("comparison", matched={1})
    assert not (tmp_path / "notes").exists()
