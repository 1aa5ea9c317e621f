"""The explorer as a person uses it: JupyterLab in a browser, a dropdown turned, a page read."""

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
    yield url
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


@pytest.mark.slow
def test_turning_a_dropdown_changes_the_page(lab, page, tmp_path):
    page.goto(f"{lab}/lab/tree/notebooks/explore/failures.ipynb?token=t&reset")
    page.wait_for_selector('#jp-main-statusbar :text("| Idle")', timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
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
