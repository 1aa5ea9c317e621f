"""The pages: built without a network; no link leads nowhere, and nothing is left out."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
import yaml
from test_browser import CHROMIUM, FLAGS

import kit
from kit import rings
from kit.books import matching
from kit.bridges import site
from kit.cli.main import main
from kit.errors import KitError
from kit.paths import NOTEBOOKS, PUBLISHED


class Links(HTMLParser):
    """What a page loads, what it links to, and the names that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.loaded, self.linked, self.names = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.names |= {found[n] for n in ("id", "name") if found.get(n)}
        if tag in ("script", "img", "iframe") or (
            tag == "link" and found.get("rel") != "canonical"
        ):
            self.loaded += [found[n] for n in ("src", "href") if found.get(n)]
        elif tag == "a" and found.get("href"):
            self.linked.append(found["href"])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="type: pip install -e .[dev]")
    out = tmp_path_factory.mktemp("site") / "out"
    cut_off = ["unshare", "-rn"] if _can_unshare() else []
    code = "import sys; from pathlib import Path; from kit.bridges.site import build; "
    code += "from kit.cli.main import main; "
    code += "build(Path(sys.argv[1]), main, executed=Path('/nowhere'))"
    subprocess.run([*cut_off, sys.executable, "-c", code, str(out)], check=True)
    every = {p: Links(p) for p in out.rglob("*.html")}
    del every[out / "404.html"]  # its links begin at the root of a server
    return every, out


def _can_unshare():
    try:
        return subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(pages):
    for path, links in pages[0].items():
        assert [u for u in links.loaded if urlsplit(u).scheme not in ("", "data")] == [], path
        assert all(target(path, u).is_file() for u in links.loaded if not u.startswith("data:"))


@pytest.mark.slow
def test_every_internal_link_has_its_page_and_its_place(pages):
    for path, links in pages[0].items():
        for url in links.linked:
            parts = urlsplit(url)
            if parts.scheme:
                continue
            there = target(path, url) if parts.path else path
            assert there.is_file(), f"{path.name}: {url}"
            if parts.fragment:
                assert unquote(parts.fragment) in pages[0][there].names, f"{path.name}: {url}"


@pytest.mark.slow
def test_every_paper_notebook_and_room_has_its_page(pages):
    every, out = pages
    for folder in PUBLISHED.glob("*/tables.py"):
        assert out / f"{folder.parent.name}.html" in every
    for book in matching(["*"]):
        assert out / "notebooks" / book.relative_to(NOTEBOOKS).with_suffix(".html") in every
    for room, _ in site.ROOMS:
        assert out / "api" / f"{room}.html" in every


@pytest.mark.slow
def test_every_command_is_on_the_page_of_commands(pages):
    every, out = pages
    names = [*rings.announced("kit.commands"), *main.list_commands(None)]
    assert {f"kit-{n.replace(' ', '-')}" for n in names} <= every[out / "commands.html"].names


@pytest.mark.slow
@pytest.mark.skipif(not Path(CHROMIUM).is_file(), reason="type: apt-get install chromium")
def test_pages_in_a_folder_can_be_searched(pages, tmp_path):
    words = [CHROMIUM, *FLAGS, "--headless", f"--user-data-dir={tmp_path}", "--dump-dom"]
    url = f"{(pages[1] / 'search.html').as_uri()}?q=pidfd_getfd"
    done = subprocess.run([*words, "--virtual-time-budget=20000", url], stdout=subprocess.PIPE)
    assert b'<article><h3><a href="./sandbox.html' in done.stdout


def test_the_citation_is_of_this_version_in_the_form_cff():
    cited = yaml.safe_load((site.TEXTS / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert (cited["cff-version"], str(cited["version"])) == ("1.2.0", kit.__version__)
    assert all({"name"} == set(author) for author in cited["authors"])


@pytest.mark.slow
def test_a_link_that_leads_nowhere_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("mkdocs", reason="type: pip install -e .[dev]")
    (tmp_path / "index.md").write_text("[gone](nowhere.md)\n")
    monkeypatch.setattr(site, "_contents", lambda _: [{"Start": "index.md"}])
    monkeypatch.setattr(site, "TEXTS", tmp_path)
    monkeypatch.setattr(site, "ROOMS", [])
    monkeypatch.setattr(site, "matching", lambda _: [NOTEBOOKS / "audit.ipynb"])
    with pytest.raises(KitError, match=r"nowhere\.md"):
        site.build(tmp_path / "out", click.Command("kit"))


def target(path, url):
    found = (path.parent / unquote(urlsplit(url).path)).resolve()
    return found / "index.html" if found.is_dir() else found
