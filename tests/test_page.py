"""A run as one page: everything of the run is in it, and nothing of it is markup."""

import json
import re

import evil
import pytest
from commands import invoked, kit
from markupsafe import escape

from kit.errors import KitError
from kit.store import Store
from kit.study import page


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return evil.run(tmp_path_factory.mktemp("page") / evil.IMG)


def test_the_page_holds_every_sample_and_no_markup_of_the_run(run, tmp_path):
    target = tmp_path / "run.html"
    tasks = evil.suite(tmp_path / "tasks")
    assert "5 samples" in kit("export", run, "--html", target, "--data", tasks).stdout
    text = target.read_text()
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") == 2
    assert "http" not in re.sub(r"http-equiv", "", text)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    pages = re.findall(r"<template id=.*?</template>", text, re.DOTALL)
    assert len(pages) == len(data["samples"]) == 5
    assert all(escape(evil.EVIL) in one for one in pages)
    assert "Answer of the model" in pages[4]


def test_each_test_of_a_sample_has_its_sentence_and_scores_are_those_of_the_run(run):
    with Store(run, write=False) as store:
        data, pages = page.content(store, n_boot=50)
    assert re.findall(r'class="key (\w+)"', pages[1]) == ["fail", "fail", "pass"]  # failed first
    assert pages[1].count(f"{escape(evil.EVIL)}</td></tr>") == 4  # of three tests and a finding
    assert pages[1].count("class='alert'") == 1
    names, rows = data["scores"]
    told = [dict(zip(names, row, strict=True)) for row in rows if row[0] == f"model {evil.EVIL}"]
    assert {row["temperature"] for row in told} == {"0", "0.25", "0.5", "0.75"}  # never pooled
    shares = {(row["metric"], row["temperature"]): row[page.PERCENT] for row in told}
    assert (shares["pass@1", "0"], shares["pass@1", "0.25"]) == ("100.0 %", "0.0 %")


def test_a_page_is_called_html_and_lies_in_a_folder_that_exists(run, tmp_path):
    for target, said in ((tmp_path / "x.csv", "ends in .html"), (tmp_path / "a/b.html", "folder")):
        with pytest.raises(KitError, match=said):
            page.write(run, target)
    assert invoked("export", run).exit_code == 2
