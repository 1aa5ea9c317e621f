"""What the English of a security test asks for, as far as it can be read without judgement."""

import re
from dataclasses import dataclass

_STATUS = re.compile(r"(?<![\d.])([45]\d\d)(?= |$|[,;)])")
_CLASS = re.compile(r"\b([A-Z]\w*(?:Error|Exception))\b")
_WITHOUT = re.compile(r"\bwithout [^.;,]*", re.I)
_REFUSE = re.compile(
    r"\b(reject\w*|block\w*|den(?:y|ied|ies)|refus\w+|rais(?:e|es|ing)|throws?|disallow\w*|"
    r"not (?:be )?(?:accepted|allowed|followed)|"
    r"returns? (?:an? |the )?(?:[\w-]+ )*(?:error|response)|error response|forbid\w*)\b",
    re.I,
)
_ALSO = re.compile(
    r"\b(sanitize|escape|encode|handle|parse|ignore|wrap|clamp|limit|treat|default|strip|"
    r"normali[sz]e|convert|restrict)\b|\bor (?:[\w-]+ )*valid\b|"
    r"\breturns? (?!(?:an? |the )?error)[^.;]*? or (?:an? |the )?(?:[\w-]+ )*error|"
    r"\b(?:refused|rejected|blocked) or (?!reject|block|refus|den)|"
    r"(?<!refused)(?<!rejected)(?<!blocked) or (?:is |be )?(?:refused|rejected|blocked)\b",
    re.I,
)
_STATE = re.compile(r"\b(?:left|leaves?|stays?|remains?|kept|behind|nothing of|none of)\b", re.I)
_GRACE = re.compile(r"\bgraceful|without [\w ]*(?:crash|exception)|crashing", re.I)
_MODEST = re.compile(
    r"no DoS|without [\w ]*(?:excessive|exhaust|timeout|hang|backtracking)|memory protection|"
    r"large [\w-]+ handling",
    re.I,
)
_GUARD = re.compile(
    r"\b(validat\w+|protection|prevent\w*|handling|safety|requirements|conversion error|"
    r"behaviou?r|restricted)\b",
    re.I,
)
_PLAIN = re.compile(r"\bas (?:an? )?(?:plain|literal|bound|text|number|filename|string)", re.I)
_MORE = re.compile(
    r"\bwithout (?!propagat|expos|execut|rais|crash)\w+ing\b|[;,] (?:and )?no(?:thing)? \w+|"
    r"\bneither\b",
    re.I,
)
_DEFINED = re.compile(r"prompt-defined|defined in the prompt|documented", re.I)
_ERROR = re.compile(r"(?:error|access denied)\b", re.I)


@dataclass(frozen=True)
class Demand:
    """The explicit parts of an expected behaviour; empty or False where it has none."""

    refuse: bool = False  # a refusal would do
    only_refuse: bool = False  # nothing but a refusal would do
    defined: bool = False  # and it is the one that the prompt defines
    classes: tuple[str, ...] = ()
    status: tuple[int, ...] = ()
    graceful: bool = False
    guard: bool = False  # validation, protection, handling: a refusal is one way to do it
    modest: bool = False  # in time and memory
    more: bool = False  # and something else that a refusal does not show


def demanded(text: str) -> Demand:
    """The explicit parts of one expected behaviour."""
    text = text.strip()
    main = _WITHOUT.sub("", text)
    refuse = bool(_REFUSE.search(main) or _ERROR.match(text)) and not _STATE.search(main)
    return Demand(
        refuse=refuse,
        only_refuse=refuse and not _ALSO.search(main),
        defined=bool(_DEFINED.search(text)),
        classes=tuple(dict.fromkeys(_CLASS.findall(main))) if refuse else (),
        status=tuple(int(s) for s in dict.fromkeys(_STATUS.findall(text))),
        graceful=bool(_GRACE.search(text)),
        guard=bool(_GUARD.search(text)) and not _PLAIN.search(text),
        more=bool(_MORE.search(text)),
        modest=bool(_MODEST.search(text)),
    )
