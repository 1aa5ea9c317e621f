"""The explorer as a person uses it: JupyterLab in a browser, a dropdown turned, a page read."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from kit.paths import NOTEBOOKS, ROOT

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="module")
def lab(validated, tmp_path_factory):  # noqa: ARG001 - the explorer reads its run
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(NOTEBOOKS, home / "notebooks")
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


@pytest.fixture
def page(tmp_path):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        context = play.chromium.launch_persistent_context(
            tmp_path, executable_path=CHROMIUM, args=FLAGS, viewport={"width": 1500, "height": 1100}
        )
        yield context.pages[0]
        context.close()


def run_all(lab, page, book):
    page.goto(f"{lab[0]}/lab/tree/notebooks/{book}?token=t&reset")
    page.wait_for_selector('#jp-main-statusbar :text("| Idle")', timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')


@pytest.mark.slow
def test_turning_a_dropdown_changes_the_page(lab, page, tmp_path):
    run_all(lab, page, "explore/failures.ipynb")
    box = page.locator(".widget-dropdown select").first
    box.wait_for(timeout=90_000)
    box.scroll_into_view_if_needed()
    count = page.locator(".widget-html-content", has_text="samples,").first
    before = count.inner_text()
    box.select_option("secure, not correct")
    page.wait_for_function(
        "old => [...document.querySelectorAll('.widget-html-content')]"
        ".some(e => e.innerText.includes('samples,') && e.innerText !== old)",
        arg=before,
    )
    shown = page.locator(".jp-OutputArea .widget-html-content", has_text="specification")
    assert "verdict" in shown.last.inner_text()
    page.screenshot(path=os.environ.get("KIT_SCREENSHOT", str(tmp_path / "explorer.png")))


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
    page.wait_for_selector('.widget-html-content:has-text("1 of 30 coded")', timeout=20_000)
    assert page.locator(".widget-dropdown select").first.input_value().startswith("2 ")
    (line,) = codes.read_text().splitlines()
    said = json.loads(line)
    assert (said["rater"], said["code"], said["note"]) == ("ann", "other", "a hand in the browser")
    page.locator(".widget-radio-box").first.scroll_into_view_if_needed()
    page.screenshot(path=os.environ.get("KIT_SCREENSHOT_AUDIT", str(tmp_path / "audit.png")))
