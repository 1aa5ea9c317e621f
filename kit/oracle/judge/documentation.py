"""What a judge may have to look up: the program's unfamiliar interfaces, and their documentation.

The judge names them; another model may search the web for them, or, without a network, the box's
own installed libraries say it. Either adds context; neither takes the judge's place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kit.generation import prompting, structured
from kit.generation.base import BadRequest, Model
from kit.generation.generate import respond
from kit.generation.structured import Asker
from kit.harness import box_files, channel
from kit.languages import LANGUAGES
from kit.oracle.judge import symbols
from kit.records import content_key
from kit.sandbox.base import Sandbox

MOST = 6  # interfaces looked up for one program
CHARS = 2000  # of each
GAPS = structured.schema(unknown={"type": "array", "items": {"type": "string"}})


@dataclass(frozen=True)
class Library:
    """Looks things up. box: for the installed documentation; resolver: a model that may search."""

    box: Sandbox | None = None
    resolver: Model | None = None

    @property
    def identity(self) -> str:
        names = prompting.fingerprint("documentation", "documentation_gaps")
        resolver = self.resolver.identity if self.resolver else ""
        return content_key(names, resolver, self.box.identity if self.box else "")

    def about(self, code: str, language: str, asker: Asker) -> str:
        """Documentation of what the judge does not know of this very program; "" for nothing."""
        names = self.gaps(symbols.used(code, language), language, asker)
        if not names:
            return ""
        return self._searched(names, language, asker) or self.installed(names, language, asker)

    def gaps(self, used: Sequence[str], language: str, asker: Asker) -> tuple[str, ...]:
        """Which of these interfaces the judge says it does not know; a name it made up is none."""
        if not used:
            return ()
        word = prompting.ticket("gaps", language, *used)
        question = prompting.messages(
            "documentation_gaps",
            language=LANGUAGES[language].title,
            symbols="\n".join(used),
            ticket=word,
            most=MOST,
        )
        answer = asker.ask(question, GAPS, ticket=word)
        named = (answer.data or {}).get("unknown", ())
        return tuple(name for name in dict.fromkeys(named) if name in used)[:MOST]

    def _searched(self, names: tuple[str, ...], language: str, asker: Asker) -> str:
        """What the resolver found on the web; "" where there is none that can search."""
        model = structured.searching(self.resolver) if self.resolver else None
        if model is None:
            return ""
        told = LANGUAGES[language].title
        question = prompting.messages("documentation", language=told, symbols="\n".join(names))
        key = content_key("documentation", model.identity, question)
        sampling = {"max_tokens": structured.ANSWER_TOKENS}
        try:
            found = respond(model, question, sampling, 0, key, asker.cache, asker.budget)
        except BadRequest:  # a server that speaks the format and has no search
            return ""
        return "" if found.refused else found.text.strip()

    def installed(self, names: tuple[str, ...], language: str, asker: Asker) -> str:
        """The documentation that the libraries in the box carry themselves: Python's pydoc."""
        if self.box is None or language != "python":
            return ""
        key = content_key("installed", self.box.identity, names, CHARS)
        if key not in asker.cache:
            asker.cache[key] = {"text": self._pydoc(names)}
        return str(asker.cache[key]["text"])

    def _pydoc(self, names: tuple[str, ...]) -> str:
        assert self.box is not None
        runner = "kit_docs.py"
        files = box_files.job(runner, {"names": names, "chars": CHARS})
        seen = self.box.run(box_files.argv(runner), files=files, env=box_files.ENVIRONMENT)
        texts = channel.read(seen.channel).part("docs")
        return "\n\n".join(f"{n}\n{texts.get(n, 'no documentation is installed')}" for n in names)
