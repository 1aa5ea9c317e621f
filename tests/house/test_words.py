"""Phrases that readers had to read twice stay out of pages, help texts and messages."""

import ast
import json
import re

import click
import pytest

from kit.cli.main import main
from kit.cli.options import WithExample
from kit.core.paths import DATA, NOTEBOOKS, ROOT

BANNED = re.compile(
    r"stands? to (the paper|itself)|\b(is|are) news\b|second world|Pools different|told of security"
    r"|\d not\b  |whom do the labels|have the truth back|waits for a person|doubts about"
)
RIDDLES = re.compile(  # of pages by us and of every help text; notebooks have their own owner
    r"nobody could decide|in plain sight|half a defence|has spent (it|them)|goes on where"
    r"|[Tt]he same command goes on|as it is labelled|references misbehave|what is different here"
    r"|failures? of ours|our own failures?|is silent|silence (is|about|says)|acquit|what decides"
    r"|[Tt]hings done at once|[Oo]nly when given|made anew|[Pp]rints? what does not|a word more"
    r"|says the mend|is there already|Numbers about numbers|not run end to end|where it is left out"
)
REFUSALS = re.compile(
    r"\b(is|are) no [a-z]+\b(?! longer)|is there already|[Tt]he same command|holds nothing"
)
PAGES = [ROOT / "README.md", *(ROOT / "kit" / "docs").glob("*.md"), *NOTEBOOKS.rglob("*.ipynb")]
OURS = [
    p
    for p in (*PAGES, NOTEBOOKS / "GLOSSARY.md", *DATA.glob("*/README.md"))
    if p.suffix == ".md"
    and p.name not in ("changelog.md", "machines.md")
    and p.parent.name != "suites"
]
CLI = [
    *(ROOT / "kit" / "cli").glob("*.py"),
    *(ROOT / "kit").glob("*/commands.py"),
    *(ROOT / "kit" / "run").glob("*.py"),
    *(ROOT / "kit" / "study").glob("*.py"),
]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_a_page_has_no_phrase_that_was_a_riddle(path):
    text = path.read_text()
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    if path.name != "changelog.md":  # it says what was
        assert BANNED.findall(text) == []


@pytest.mark.parametrize("path", OURS, ids=lambda p: str(p.relative_to(ROOT)))
def test_our_pages_use_the_terms_of_the_field(path):
    assert [m[0] for m in RIDDLES.finditer(" ".join(path.read_text().split()))] == []


def commands(command, ctx):
    """A command and those below it, each with its context; of a ring's commands those in groups."""
    yield command, ctx
    for name in command.list_commands(ctx) if isinstance(command, click.Group) else ():
        below = command.get_command(ctx, name)
        yield from commands(below, click.Context(below, ctx, info_name=name))


def test_every_help_text_is_plain_and_ends_with_an_example_whose_options_exist():
    for command, ctx in commands(main, click.Context(main, info_name="kit")):
        text = command.get_help(ctx)
        is_cut = command.get_short_help_str(55).endswith("...")
        assert command is main or not is_cut, ctx.command_path
        assert [m[0] for m in RIDDLES.finditer(" ".join(text.split()))] == [], ctx.command_path
        assert isinstance(command, WithExample), ctx.command_path
        first, *words = text.rpartition("Examples:\n")[2].split()
        assert first == "kit", ctx.command_path
        flags = {flag for o in command.params for flag in o.opts}
        used = {word for word in words if re.match("--?[a-z]", word)}
        assert used <= flags or isinstance(command, click.Group), ctx.command_path


def test_every_option_says_what_it_does_with_its_unit_and_its_default():
    units = {
        "budget": "US dollars",
        "dollars": "US dollars",
        "price": "US dollars",
        "seconds": "seconds",
        "timeout": "seconds",
    }
    every = commands(main, click.Context(main, info_name="kit"))
    options = [
        (f"{ctx.command_path} {o.opts[0]}", o)
        for command, ctx in every
        for o in command.params
        if isinstance(o, click.Option)
    ]
    for where, o in options:
        assert o.help, where
        assert units.get(o.opts[0].rpartition("-")[2], "") in o.help, where
        shown = o.show_default and o.default not in (None, "")
        if not (o.required or o.is_flag or o.multiple or shown or o.type.name in ("path", "file")):
            words = ("default:", "by default", "else", "where none is given", "required with")
            assert any(word in o.help.lower() for word in words), where


@pytest.mark.parametrize("path", CLI, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_refusal_names_the_mistake_plainly(path):
    calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    texts = [
        c.value
        for call in calls
        if getattr(call.func, "id", "") == "KitError"
        for c in ast.walk(call)
        if isinstance(getattr(c, "value", 0), str)
    ]
    if path.parent.name != "course":
        assert [m[0] for text in texts for m in REFUSALS.finditer(text)] == []
