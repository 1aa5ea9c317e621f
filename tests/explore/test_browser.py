"""Notebooks as a person uses them: JupyterLab in a browser, clicked through, and attacked."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from kit.core.paths import NOTEBOOKS, ROOT, RUNS
from kit.core.store import Store
from kit.explore import page as page_
from tests.support import evil

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

ERROR = (
    ".jp-OutputArea-output[data-mime-type*=error], .jp-OutputArea-output[data-mime-type*=stderr]"
)
SETTINGS = {  # every cell is in the page, and what is drawn must be read on a dark ground
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/themes": {"theme": "JupyterLab Dark"},
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(NOTEBOOKS, home / "notebooks")
    settings = home / ".jupyter" / "lab" / "user-settings" / "@jupyterlab"
    for name, value in SETTINGS.items():
        file = settings / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value))
    port = free_port()
    words = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    words += ["--IdentityProvider.token=t", f"--ServerApp.root_dir={home}"]
    program = Path(sys.executable).with_name("jupyter-lab")
    env = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen([program, *words], env=env, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    for _ in range(150):
        time.sleep(0.2)
        try:
            urllib.request.urlopen(f"{url}/api?token=t", timeout=2).close()
            break
        except OSError:
            continue
    yield url, home
    server.terminate()
    server.wait(20)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Started once; each test has a page of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        context = play.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"),
            executable_path=CHROMIUM,
            args=FLAGS,
            viewport={"width": 1500, "height": 1100},
        )
        yield context
        context.close()


@pytest.fixture
def page(browser):
    opened = browser.new_page()
    yield opened
    opened.close()


def run_all(lab, page, book):
    page.goto(f"{lab[0]}/lab/tree/notebooks/{book}?token=t&reset")
    page.wait_for_selector('#jp-main-statusbar :text("| Idle")', timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')


def to_the_end(page):
    """Wait until the last code cell has its number; no cell may have failed."""
    page.wait_for_function(
        r"""error => { const all = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
        return all.length > 3 && /\d/.test(all.at(-1).innerText) || document.querySelector(error);
        }""",
        arg=ERROR.partition(",")[0],
        timeout=300_000,
    )
    texts = page.locator(ERROR).all_inner_texts()  # a slow machine shows progress on stderr
    assert [t for t in texts if not re.fullmatch(r"(\w+: \d+ of \d+\s*)+", t)] == []


def set_parameters(lab, book, **values):
    """Another value for some of a notebook's parameters."""
    path = lab[1] / "notebooks" / book
    content = json.loads(path.read_text())
    cell = next(c for c in content["cells"] if "parameters" in c["metadata"].get("tags", []))
    cell["source"] = "".join(cell["source"]) + "".join(f"\n{k} = {v!r}" for k, v in values.items())
    path.write_text(json.dumps(content))


def assert_inert(page):
    """No element of the attack is there, whether or not its script would have run."""
    assert page.evaluate("window.owned") is None
    assert page.locator('img[src="x"]').count() == 0


@pytest.mark.slow
def test_a_reader_codes_a_failure_and_the_next_one_comes(lab, page, tmp_path):
    codes = tmp_path / "codes.jsonl"
    book = lab[1] / "notebooks" / "dualgauge" / "failure_audit.ipynb"
    book.write_text(book.read_text().replace('codes: str = \\"\\"', f'codes: str = \\"{codes}\\"'))
    run_all(lab, page, "dualgauge/failure_audit.ipynb")
    name = page.locator(".widget-text input").first
    name.wait_for(timeout=90_000)
    name.fill("ann")
    name.press("Tab")
    page.locator(".widget-radio-box label", has_text="other:").first.click()
    page.locator(".widget-textarea textarea").first.fill("a hand in the browser")
    page.click('button:text-is("save and next")')
    coded = page.locator(".widget-html-content", has_text=re.compile(r"1 of \d+ rated"))
    coded.first.wait_for(timeout=20_000)
    assert page.locator(".widget-dropdown select").first.input_value().startswith("2 ")
    (line,) = codes.read_text().splitlines()
    said = json.loads(line)
    assert (said["rater"], said["code"], said["note"]) == ("ann", "other", "a hand in the browser")
    page.locator(".widget-radio-box").first.scroll_into_view_if_needed()
    page.screenshot(path=os.environ.get("KIT_SCREENSHOT_AUDIT", str(tmp_path / "audit.png")))


@pytest.fixture(scope="module")
def attack(tmp_path_factory):
    """A run, its tasks and a recording, each hostile."""
    home = tmp_path_factory.mktemp("attack")
    recorded = shutil.copytree(RUNS / "smollm2-135m", home / f"recorded{evil.IMG}")
    samples = recorded / "samples.jsonl"
    name = json.dumps(f"local:smollm2-135m {evil.EVIL}")
    samples.write_text(samples.read_text().replace('"local:smollm2-135m"', name))
    return evil.run(home / f"run{evil.IMG}"), evil.suite(home / "tasks"), recorded


BEYOND = """() => Math.max(0, ...[...document.querySelectorAll('.kit-app table.facts')].map(
    e => Math.round(e.getBoundingClientRect().right
        - e.closest('.widget-html').getBoundingClientRect().right)))"""


@pytest.mark.slow
def test_no_script_of_a_run_runs_in_the_explorer_on_a_dark_ground(lab, page, attack, tmp_path):
    run, tasks, _ = attack
    book = "explore/failures.ipynb"
    set_parameters(lab, book, run=str(run), data=str(tasks), first="correct but insecure")
    run_all(lab, page, book)
    to_the_end(page)
    page.locator('button[title="undecided"]').wait_for(timeout=120_000)
    shown = page.locator(".widget-html-content", has_text="tests as a table")
    shown.first.wait_for(timeout=60_000)
    assert "window.owned=1" in shown.first.inner_text()
    page.locator(".widget-dropdown", has_text="compare with").locator("select").select_option(
        index=1
    )
    page.wait_for_selector('.widget-html-content:has-text("the same task:")', timeout=60_000)
    for details in page.locator(".widget-html-content details summary").all():
        details.click()
    assert page.locator(ERROR).count() == 0
    assert_inert(page)
    for width in (1000, 1600):  # no part of the evidence is cut at the right border
        page.set_viewport_size({"width": width, "height": 1100})
        page.wait_for_timeout(500)
        assert page.evaluate(BEYOND) == 0
    dark = "getComputedStyle(document.querySelector('.widget-html-content .kit')).color"
    assert min(int(n) for n in page.evaluate(dark).strip("rgba()").split(",")[:3]) > 150
    page.locator(".kit-list").first.scroll_into_view_if_needed()
    page.screenshot(path=os.environ.get("KIT_SCREENSHOT_DARK", str(tmp_path / "dark.png")))


CLICK = """act => new Promise(done => {
    let start = 0, last = 0;
    const book = document.querySelector('.jp-Notebook');
    const seen = new MutationObserver(() => { last = performance.now(); });
    const look = () => {
        const quiet = performance.now() - (last || start);
        if (quiet < (last ? 500 : 10000)) return setTimeout(look, 20);
        seen.disconnect();
        done(last ? last - start : Infinity);
    };
    seen.observe(book, {subtree: true, childList: true, characterData: true});
    start = performance.now(); eval(act); look(); })"""
CLICKS = {  # each once there and once back
    "quadrant": ("document.querySelector('button[title=\"correct but insecure\"]').click()",) * 2,
    "page": tuple(
        f"document.querySelector('button[title=\"{tip}\"]').click()"
        for tip in ("next page", "page before")
    ),
    "sample": tuple(
        f"""let s = document.querySelector('.kit-list select'); s.selectedIndex = {n};
        s.dispatchEvent(new Event('change', {{bubbles: true}}))"""
        for n in (7, 12)
    ),
    "sort": tuple(
        f"""s = [...document.querySelectorAll('.widget-dropdown')].find(
        e => e.innerText.includes('sort by')).querySelector('select'); s.selectedIndex = {n};
        s.dispatchEvent(new Event('change', {{bubbles: true}}))"""
        for n in (5, 0)
    ),
}


@pytest.mark.slow
def test_every_click_among_20_000_rows_changes_the_page(lab, page, many):
    """Prints the ms from the click to the page's last change: below 300 on two quiet cores."""
    run, tasks = many
    set_parameters(lab, "explore/failures.ipynb", run=str(run), data=str(tasks), first="")
    run_all(lab, page, "explore/failures.ipynb")
    to_the_end(page)
    page.locator('button[title="undecided"]').wait_for(timeout=60_000)
    took = {name: max(page.evaluate(CLICK, act) for act in acts) for name, acts in CLICKS.items()}
    print(took)
    assert max(took.values()) < float("inf")
    shown = page.locator(".jp-OutputArea .widget-html-content", has_text="Result of this test")
    assert "Decided by" in shown.last.inner_text()
    chosen = page.locator(".kit-list select")
    before = chosen.evaluate("list => list.selectedIndex")
    chosen.press("ArrowDown")
    assert page.evaluate("document.activeElement.selectedIndex") == before + 1


@pytest.mark.slow
@pytest.mark.parametrize("book", ["disagreements", "compare_runs"])
def test_no_script_of_a_run_runs_where_oracles_or_runs_are_compared(
    lab, page, attack, tmp_path, book
):
    run, tasks, _ = attack
    mine = shutil.copytree(run, tmp_path / "run")
    with Store(mine) as store:  # one voice more, at odds with the oracle on one test
        (slot, test, said) = store.db.execute(
            "SELECT slot, test, verdict FROM cells JOIN verdicts ON key = verdict "
            "WHERE outcome = 'pass' ORDER BY slot, test"
        ).fetchone()
        (bad,) = store.db.execute("SELECT key FROM verdicts WHERE outcome = 'fail'").fetchone()
        store.put_opinion(slot, test, oracle=evil.EVIL, verdict=bad, offline=said)
        if book == "compare_runs":
            store.db.execute("UPDATE cells SET verdict = ?", (bad,))
    runs = {"run": mine} if book == "disagreements" else {"first": run, "second": mine}
    set_parameters(
        lab,
        f"explore/{book}.ipynb",
        data=str(tasks),
        **{name: str(path) for name, path in runs.items()},
    )
    run_all(lab, page, f"explore/{book}.ipynb")
    to_the_end(page)
    page.locator(".kit-list").first.wait_for(timeout=60_000)
    if book == "disagreements":
        page.locator(".widget-text input").first.fill("ann")
        page.locator(".widget-text input").first.press("Tab")
        page.locator(".widget-toggle-buttons button", has_text="fail").first.click()
        page.click('button:text-is("save my verdict")')
        page.wait_for_selector('.widget-html-content:has-text("0 tests to label")', timeout=20_000)
        (line,) = (mine / "labels.jsonl").read_text().splitlines()
        assert json.loads(line)["outcome"] == "fail"
    else:
        shown = page.locator(".widget-html-content", has_text="the two programs")
        assert "window.owned=1" in shown.first.inner_text()
    assert_inert(page)


@pytest.mark.slow
@pytest.mark.parametrize("book", ["00_tour.ipynb", "dualgauge/table_2.ipynb"])
def test_no_script_of_a_run_runs_in_a_notebook(lab, page, attack, book):
    run, _, recorded = attack
    name, value = ("recorded", recorded) if book == "00_tour.ipynb" else ("source", run)
    set_parameters(lab, book, **{name: str(value)})
    run_all(lab, page, book)
    to_the_end(page)
    assert page.locator("table").count() > 1
    assert_inert(page)


@pytest.mark.slow
def test_no_script_of_a_run_runs_in_its_page(page, attack, tmp_path):
    run, tasks, _ = attack
    page_.write_html(run, tmp_path / "run.html", tasks=tasks)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: said.append(request.url))
    page.goto((tmp_path / "run.html").as_uri())
    assert page.locator("#list a").count() == 5
    page.locator("#filters select").first.select_option("correct but insecure")
    assert page.locator("#count").inner_text() == "2 of 5 samples"
    page.locator("#list a").first.click()
    shown = page.locator("#sample").inner_text()
    assert evil.EVIL.split("<")[1] in shown
    assert "tests as a table" in shown
    page.locator("#filters select").first.select_option("")
    page.locator("#filters input").fill("no such word")
    assert page.locator("#count").inner_text() == "0 of 5 samples"
    assert said == [(tmp_path / "run.html").as_uri()]
    assert_inert(page)
    page.locator("#filters input").fill("")
    page.screenshot(path=os.environ.get("KIT_SCREENSHOT_PAGE", str(tmp_path / "page.png")))
