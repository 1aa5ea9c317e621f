import pandas as pd
import pytest

from kit.core.records import (
    Event,
    Evidence,
    Finding,
    Observed,
    Outcome,
    Reason,
    Sample,
    Status,
    Task,
    Test,
    Verdict,
)
from kit.explore import plots, render
from tests.support.pace import measure_pace

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
ROWS = [(TEST, SEEN, JUDGED)]


def test_nothing_that_a_program_wrote_reaches_the_page_as_markup():
    found = [Finding(EVIL, EVIL, EVIL, EVIL, 1, 0, "", EVIL, (EVIL,), EVIL, EVIL)]
    program = Sample("t", EVIL, code=EVIL)
    page = render.make_sample_html(TASK, program, ROWS, "sec-0", reference="x = 1\n", found=found)
    page += render.make_sample_html(None, program, ROWS, title=EVIL, found=found, whole=False)
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "\x00" not in page


@pytest.mark.parametrize("language", ["python", "javascript", "cpp", "c", "java", "cobol"])
def test_every_line_of_a_program_is_shown_once_and_covered_lines_are_marked(language):
    page = render.make_code_listing("a = 1\n\nb = 2\n", language, covered=[3])
    assert page.count("<div") == 3
    assert page.count("class='ran'") == 1


def test_long_text_says_how_much_was_cut():
    assert "(96000 more characters)" in render.escape_text("x" * 100_000)


def test_the_diff_of_equal_programs_says_so():
    assert "identical" in render.compare_programs("a\n", "a\n", "r")


def test_reads_of_the_toolchain_are_left_out_of_the_events():
    page = render.make_sample_html(TASK, Sample("t", "m", code="x"), ROWS, "sec-0")
    assert "/usr/lib/x.so" not in page
    assert "and 1 reads of the language" in page


def test_a_test_that_was_not_run_says_so():
    page = render.make_sample_html(TASK, Sample("t", "m", code="x"), [(TEST, None, None)], "sec-0")
    assert "not executed" in page


def test_a_line_with_a_finding_is_marked_and_one_of_another_function_is_not():
    found = [
        Finding("codeql", "py/x", "CWE-78", line=2),
        Finding("asan", "overflow", line=1, function="elsewhere"),
    ]
    page = render.make_code_listing(
        "a = 1\nb = 2\n", "python", alerts=render.group_findings_by_line(found, "a = 1\nb = 2\n")
    )
    assert page.count("class='alert'") == 1
    assert "CWE-78 py/x" in page.split("class='alert'")[1]


@pytest.mark.parametrize("program", ["x = 'a'\n" * 60_000, "x" * 540_000, "\n" * 540_000])
def test_a_program_of_half_a_megabyte_is_there_in_under_a_second(program):
    def show():
        render.make_code_listing(program, "python", covered=range(1, 1000))
        render.compare_programs(program, "x = 1\n" * 100, "reference")

    assert measure_pace(show) < 20


def test_the_last_line_of_a_long_program_is_there_and_marked():
    page = render.make_code_listing("x = 'a'\n" * 60_000 + "end = 1\n", "python", covered=[60_001])
    assert "<div class='ran'><span class='no'>60001 </span>end = 1</div>" in page
    assert "59501 more lines" in page


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
