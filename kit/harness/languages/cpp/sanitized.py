"""How a C or C++ program is built with sanitizers, and what of it these may not see all the same.

What remains unseen by their own nature: memory that a program parts out of one large piece, system
calls without a wrapper of the C library, and functions of libraries that they do not know.
"""

import posixpath
import re

FLAGS = ("-fsanitize=address,undefined", "-fno-omit-frame-pointer")
_REFUSALS = ("no_sanitize_address", "no_sanitize_undefined", "no_address_safety_analysis",
             "no_sanitize(...)")  # fmt: skip
_MARKED = [re.sub(r"\w+", r"__\g<0>__", name) for name in _REFUSALS]
_ALLOCATORS = "malloc calloc realloc free memalign aligned_alloc posix_memalign".split()
# A program does not see that it is built with them, and cannot refuse by an attribute; the linker
# tells who brings the functions that they watch memory by.
ALIKE = (
    *("-U__SANITIZE_ADDRESS__", "-U__has_feature"),
    *(f"-D{name}=__unused__" for name in (*_REFUSALS, *_MARKED)),
    *(f"-Wl,--trace-symbol={name}" for name in _ALLOCATORS),
)
UNSEEN = "the sanitizers may not see all of this program"
_OWN = re.compile(r"\.o: definition of (\w+)$", re.MULTILINE)
_PLACE = re.compile(r'^# \d+ "([^"\n]*)"[^\n]*\n', re.MULTILINE)
_PLACES = re.compile(r'^[^\n"]*(?:#|%:)(?:\s|/\*.*?\*/)*(?:line\b|\d)', re.MULTILINE)
_LITERAL = re.compile(
    r'(?<!\w)(?:u8|[uUL])?(?:R"([^()\\\s]{0,16})\(.*?\)\1"|"((?:[^"\\\n]|\\.)*)"'
    r"|'(?:[^'\\\n]|\\.)*')",
    re.DOTALL,
)
# instructions that touch no memory
_INERT = re.compile(
    r"(?:pause|nop|rep|rdtscp?|cpuid|[lms]fence|(?:rdrand|rdseed) %\w+|\\[nt]|[\s;])*"
)
_QUALIFIED = r"(?:\s*(?:__)?(?:volatile|inline|goto)(?:__)?)*"
_ESCAPES = {
    "it names %s": r"\w*__(?:asan|ubsan|lsan|sanitizer)_\w*|\bweakref(?=(?:__)?\s*\(\s*\")"
    r"|\b(?:__)?no_(?:sanitize_(?:address|undefined)|address_safety_analysis)(?:__)?\b"
    r"|\b(?:__)?no_sanitize(?:__)?(?=\s*\()",
    "it has instructions of its own (%s)": r"\b(?:__)?asm(?:__)?\b"
    rf'(?!{_QUALIFIED}\s*\((?:\s*"")+\s*[:)])',
}


def unseen(program: str, code: str, expanded: str, linked: str) -> str:
    """Why the sanitizers may not see all that a program does with its memory, or "".

    program: the name of the file with its text. expanded: what the preprocessor makes of the whole.
    linked: what the linker printed.
    """
    reasons = [f"it has a {name} of its own" for name in _OWN.findall(linked)]
    if _PLACES.search(code.replace("\\\n", "")):
        reasons += ["it names lines of its own"]
    _, *parts = _PLACE.split(expanded)
    places = zip(parts[::2], parts[1::2], strict=True)
    own = "".join(text for name, text in places if posixpath.basename(name) == program)
    bare = _LITERAL.sub(_without_text, own)
    for sentence, pattern in _ESCAPES.items():
        if found := re.search(pattern, bare):
            reasons.append(sentence % found[0])
    return f"{UNSEEN}: {reasons[0]}" if reasons else ""


def _without_text(literal: re.Match[str]) -> str:
    """An empty text in its place, or one that is not, where it may be an instruction."""
    plain = literal[2] is not None and _INERT.fullmatch(literal[2])
    return '""' if plain else '"..."'
