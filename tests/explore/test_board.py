"""A page over several runs: the numbers of `kit score`, each arm once, sorted without a server."""

import re
from dataclasses import replace

import pytest

from kit import explore
from kit.core.paths import RUNS
from kit.core.records import Sample, Task, Test
from kit.explore import board
from tests.explore.test_browser import browser, page  # noqa: F401 - fixtures
from tests.support import evil, judged
from tests.support.commands import invoked, kit, told

TASKS = [
    Task(
        f"t{n}",
        "dualgauge",
        "Do.",
        (
            Test("fc-0", "functional"),
            Test("sec-0", "security", cwe="CWE-22"),
            Test("sec-1", "security", cwe="CWE-79"),
        ),
    )
    for n in range(4)
]
LETTERS = {"weak": "fp ff pf ff", "strong": "pp pp pf pp", "open": "pp pu pu pp"}


class Suite:
    name = "dualgauge"


def write(folder, *models, arm=()):
    """A run in which each of these models has answered each task once."""
    answers = []
    for model in models:
        for task, letters in zip(TASKS, LETTERS[model].split(), strict=True):
            answers.append((task, Sample(task.id, model, 0, "python", dict(arm)), letters))
    return str(judged.write(folder, Suite, answers))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    home = tmp_path_factory.mktemp("board")
    return [write(home / "one", "weak", "strong"), write(home / "two", "open", arm={"hint": "x"})]


def test_each_arm_stands_once_with_the_numbers_that_kit_score_prints(runs, tmp_path):
    target = tmp_path / "board.html"
    assert "3 arms of 2 runs" in kit("export", *runs, "--html", target).stdout
    rows = re.findall(r"<tr>(<td.*?)</tr>", target.read_text(), re.DOTALL)
    seen = 0
    for run in runs:
        scores = [s for s in told("score", run)["scores"] if "pass@1" in s["metric"]]
        scores += [s for s in told("score", run)["scores"] if s["metric"] == "secure@1"]
        for score in scores:
            model = score.get("model", "open")
            (row,) = [row for row in rows if f'"{run}"' in row and f">{model}</td>" in row]
            if score["estimate"] is None:
                ends = [100 * score[end] for end in ("bound_low", "bound_high")]
                assert "{:.1f} to {:.1f} %".format(*ends) in row
                assert f"{100 * score['undecided']:.0f} % undecided" in row
            else:
                assert f"{100 * score['estimate']:.1f} %" in row
            assert f"[{100 * score['low']:.1f}, {100 * score['high']:.1f}]" in row
            seen += 1
    assert seen == 9
    assert sum("weak" in row or "strong" in row or "open" in row for row in rows) == 3


def test_a_weakness_has_a_row_with_the_numbers_of_its_own_tests(runs):
    made = board.read_board(runs, n_boot=50)
    rows = {row["cwe"]: row["scores"] for row in board.list_weaknesses(made)}
    values = {cwe: {key: cell["text"] for key, cell in row.items()} for cwe, row in rows.items()}
    keys = [row["key"] for row in board.list_rows(made)]
    assert set(rows["CWE-22"]) == set(rows["CWE-79"]) == set(keys)
    assert sorted(values["CWE-79"].values()) == ["25.0", "50.0 to 100.0", "75.0"]
    assert set(values["CWE-22"].values()) == {"100.0"}


@pytest.mark.slow
def test_a_click_sorts_and_a_choice_hides_without_a_server(runs, tmp_path, page):  # noqa: F811
    target = tmp_path / "board.html"
    board.write_board(runs, target, n_boot=50)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: said.append(request.url))
    page.goto(target.as_uri())
    models = page.locator("table.chosen tbody td:nth-child(2)")
    page.click("table.chosen button:has-text('pass@1'):has-text('correct')")
    first = models.all_inner_texts()
    page.click("table.chosen button:has-text('pass@1'):has-text('correct')")
    assert first == ["strong", "open", "weak"] or first == ["open", "strong", "weak"]
    assert models.all_inner_texts()[0] == "weak"
    page.locator("label", has_text="model").locator("select").select_option("open")
    assert page.locator("table.chosen tbody tr:visible").count() == 1
    assert said == [target.as_uri()]


def test_runs_of_two_suites_and_one_run_twice_are_refused(runs, tmp_path):
    target = tmp_path / "board.html"
    for names, said in (
        ((runs[0], "realsec-claude"), "The runs are of dualgauge, realsec. Give runs of one suite"),
        ((runs[0], runs[0]), "named twice"),
        (("claude-cpp", RUNS / "claude-cpp"), "named twice"),
        ((*runs, "--only", "t1"), "drop --only"),
    ):
        done = invoked("export", *names, "--html", target)
        assert done.exit_code != 0
        assert said in done.output
    assert not target.exists()


def test_weaknesses_are_listed_without_functional_tests_too(tmp_path):
    answers = []
    for task in TASKS:
        attacked = replace(task, tests=task.tests[1:])
        answers.append((attacked, Sample(task.id, "m", 0, "python"), "pf"))
    run = judged.write(tmp_path / "run", Suite, answers)
    found = board.read_board([str(run)], n_boot=20).weaknesses
    assert found["cwe"].tolist() == ["CWE-22", "CWE-79"]


def test_no_name_of_a_run_becomes_markup(tmp_path):
    names = [str(evil.run(tmp_path / f"{name}{evil.IMG}")) for name in "ab"]
    board.write_board(names, tmp_path / "board.html", n_boot=20)
    text = (tmp_path / "board.html").read_text()
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") == 1


def test_every_two_models_are_paired_on_the_arms_of_both(tmp_path):
    run = write(tmp_path / "one", "weak", "strong", "open")
    study = explore.ItemStudy.of([run])
    pairs = study.pairs("model", n_boot=50).set_index(["from", "to", "metric"])
    assert len(pairs) == 9
    assert pairs.loc[("weak", "strong", "pass@1"), "difference"] == pytest.approx(75)
    assert pairs.loc[("strong", "open", "secure@1")].isna()[["difference", "p"]].all()
    assert (pairs["p (Holm)"].dropna() >= pairs["p"].dropna()).all()
    apart = write(tmp_path / "two", "weak", arm={"hint": "x"})
    both = explore.ItemStudy.of(
        [run, apart, write(tmp_path / "three", "strong", arm={"hint": "y"})]
    )
    assert "hint" in both.apart
    again = both.pairs("model", n_boot=50).set_index(["from", "to", "metric"])
    found = again.loc[("weak", "strong", "pass@1")]
    assert found["difference"] == pytest.approx(75)  # of the arm that both have


def test_recorded_results_keep_their_rule_and_dead_programs_pass_nothing(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(
        "task,model,sample,prompt,functional_passed,functional,functional_raised,security,"
        "security_raised,cwes\n"
        "a,m,0,none,2,2,0,5,1,CWE-22 CWE-693\n"
        "a,n,0,none,2,2,0,5,1,CWE-693\n"
        "a,o,0,none,0,2,2,5,5,\n"
        "b,m,0,none,1,2,1,5,0,\n"
    )
    study = explore.ItemStudy.of([str(path)])
    rows = study.samples.set_index(["task", "model"])[["functional", "secure", "joint"]]
    assert list(rows.loc[("a", "m")]) == [True, False, False]
    assert list(rows.loc[("a", "n")]) == [True, True, True]
    assert list(rows.loc[("a", "o")]) == [False, False, False]
    assert list(rows.loc[("b", "m")]) == [False, True, False]
    assert set(study.frame["cwe"]) == {"", "CWE-22"}
