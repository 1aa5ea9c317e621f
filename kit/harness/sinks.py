"""What reached sinks inside the program's own interpreter, read from the channel."""

from collections.abc import Mapping, Sequence
from typing import Any

SINKS = ("sql", "shell", "code", "template", "yaml", "path", "xml", "xpath", "pickle", "hash",
         "random")  # fmt: skip
_DOUBTS = {
    "cut": "more reached its sinks than is kept",
    "fork": "it went on in a second process or thread that nobody vouches for",
    "beyond": "it reached into the interpreter, past the recorder",
}


def read(objects: Sequence[Mapping[str, Any]], *, served: bool) -> dict[str, Any]:
    """{"recorded": sinks, "unseen": sinks, "reached": [[sink, text, words], ...], "doubts": [...]}.

    The first record came before the program ran and tells the recorder's word, which all of its
    records bear. served: who started a server, which sends on what it says, stopped it when it had
    told all. unseen: recorded in part. doubts: why not all that reached a sink may be here.
    """
    marks = [o for o in objects if "sink" in o]
    word = marks[0].get("word") if marks and marks[0]["sink"] == "begin" else None
    own = [m for m in marks if m.get("word") == word and _whole(m)]
    if word is None or not own:
        doubts = ["the recorder did not begin"]
        return {"recorded": [], "unseen": [], "reached": [], "doubts": doubts}
    names, sinks = {m["sink"] for m in own}, own[0]["words"]  # "memory": what sanitizers report
    stopped = served and {"sink": "stopped"} in marks
    doubts = [sentence for name, sentence in _DOUBTS.items() if name in names]
    if len(own) + stopped < len(marks):
        doubts.append("records of another hand are among them")
    if sorted(m["n"] for m in own) != list(range(len(own))):  # processes of one program may mix
        doubts.append("records are missing")
    if "end" not in names and not stopped:
        doubts.append("the records break off, or the recorder was changed")
    return {
        "recorded": sinks,
        "unseen": [m["text"] for m in own if m["sink"] == "unseen"],
        "reached": [[m["sink"], m["text"], m["words"]] for m in own if m["sink"] in sinks],
        "doubts": doubts,
    }


def _whole(mark: Mapping[str, Any]) -> bool:
    words = mark.get("words")
    texts = [mark["sink"], mark.get("text"), *(words if isinstance(words, list) else [None])]
    return isinstance(mark.get("n"), int) and all(isinstance(text, str) for text in texts)
