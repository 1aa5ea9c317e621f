import pandas as pd
import pytest

from kit import plots
from kit.records import Event, Evidence, Observed, Outcome, Reason, Status, Task, Test, Verdict
from kit.study import render

EVIL = "<script>alert('x')</script>\x1b[31m\u202e&\x00"
TEST = Test("sec-0", "security", input={"q": EVIL}, behavior=EVIL, cwe="CWE-79")
TASK = Task("t", "demo", EVIL, (TEST,))
SEEN = Evidence(
    Status.COMPLETED,
    stdout=EVIL.encode(),
    files={EVIL: b"x"},
    events=(Event("open", EVIL, "r"), Event("open", "/usr/lib/x.so", "r")),
    observed=Observed("value", EVIL, lines=(1,)),
)
JUDGED = Verdict("sec-0", Outcome.FAIL, Reason.MISMATCH, EVIL, "match", ("value",))


def test_nothing_that_a_program_wrote_reaches_the_page_as_markup():
    page = render.sample(TASK, EVIL, "python", TEST, SEEN, JUDGED, reference="x = 1\n")
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "\x00" not in page


@pytest.mark.parametrize("language", ["python", "javascript", "cpp", "c", "java", "cobol"])
def test_every_line_of_a_program_is_shown_once_and_covered_lines_are_marked(language):
    page = render.code("a = 1\n\nb = 2\n", language, covered=[3])
    assert page.count("<div") == 3
    assert page.count("#e3f1e3") == 1


def test_long_text_says_how_much_was_cut():
    assert "(96000 more characters)" in render.text("x" * 100_000)


def test_the_diff_of_equal_programs_says_so():
    assert "equal" in render.diff("a\n", "a\n", "r")


def test_reads_of_the_toolchain_are_left_out_of_the_events():
    assert len(render.events(SEEN)) == 1


def test_a_test_that_was_not_run_says_so():
    assert "not run" in render.sample(TASK, "x", "python", TEST, None, None)


def test_a_printed_table_holds_no_markup_of_a_run():
    evil = "<img src=x onerror=alert(1)>"
    keys = [
        pd.Index([evil], name=evil),
        pd.MultiIndex.from_tuples([(evil, "b")], names=[evil, evil]),
    ]
    for index in keys:
        table = pd.DataFrame([[evil, 1.5]], columns=[evil, f"p_{evil}"], index=index)
        shown = plots.show(table, caption=evil, best="max").to_html()
        assert "<img" not in shown
        assert "&lt;img" in shown
