"""How a C or C++ program is built with sanitizers, and what of it these may not see all the same.

What remains unseen by their own nature: memory that a program parts out of one large piece, system
calls without a wrapper of the C library, and functions of libraries that they do not know.
"""

import re

FLAGS = ("-fsanitize=address,undefined", "-fno-omit-frame-pointer")
# A program does not see that it is built with them, and cannot refuse by an attribute; the linker
# tells who brings the functions that they watch memory by.
ALIKE = """
-U__SANITIZE_ADDRESS__ -U__has_feature
-Dno_sanitize_address=__unused__ -D__no_sanitize_address__=__unused__
-Dno_sanitize_undefined=__unused__ -D__no_sanitize_undefined__=__unused__
-Dno_address_safety_analysis=__unused__ -D__no_address_safety_analysis__=__unused__
-Dno_sanitize(...)=__unused__ -D__no_sanitize__(...)=__unused__
-Wl,--trace-symbol=malloc -Wl,--trace-symbol=calloc -Wl,--trace-symbol=realloc
-Wl,--trace-symbol=free -Wl,--trace-symbol=memalign -Wl,--trace-symbol=aligned_alloc
-Wl,--trace-symbol=posix_memalign
""".split()
UNSEEN = "the sanitizers may not see all of this program"
LONGEST = 2_000_000  # characters of a program whose macros are expanded
_ALLOCATOR = re.compile(r"\.o: definition of (\w+)$", re.MULTILINE)
_PLACE = re.compile(r'^# \d+ "(?:[^"\n]*/)?([^"\n/]*)"[^\n]*\n', re.MULTILINE)
_RENAMED = re.compile(r'^[ \t\f\v]*(?:#|%:)[ \t\f\v]*(?:line\b|\d+[ \t]*")', re.MULTILINE)
# Each of them ends: nothing is looked at twice, whatever a program leaves open.
_LITERAL = re.compile(
    r'(?=["/LRUu\'])(?:(?P<raw>(?<!\w)(?:u8|[uUL])?R"(?P<end>[^()\\\s]{0,16})\(.*?(?:\)(?P=end)"|\Z))'
    r'|(?<!\w)(?:u8|[uUL])?"(?P<text>(?:[^"\\\n]|\\.)*+)"?'
    r"|(?<!\w)(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*+'?|/\*.*?(?:\*/|\Z)|//[^\n]*)",
    re.DOTALL,
)
# instructions that touch no memory
_INERT = re.compile(
    r"(?:pause|nop|rep|rdtscp?|cpuid|[lms]fence|(?:rdrand|rdseed) %\w+|\\[nt]|[\s;])*+"
)
_ESCAPES = re.compile(
    r"__(?:asan|ubsan|lsan|sanitizer)_\w*|\bweakref(?=(?:__)?\s*\(\s*\")"
    r"|\b(?:__)?no_(?:sanitize_(?:address|undefined)|address_safety_analysis)(?:__)?\b"
    r"|\b(?:__)?no_sanitize(?:__)?(?=\s*\()"
    r"|\b(?:__)?asm(?:__)?\b"
    r'(?!(?:\s*(?:__)?(?:volatile|inline|goto)(?:__)?)*\s*\((?:\s*"")+\s*[:)])'
)


def find_escape(program: str, code: str, expanded: str, linked: str) -> str:
    """Why the sanitizers may not see all that a program does with its memory, or "".

    program: the name of the file with its text. expanded: what the preprocessor makes of the whole.
    linked: what the linker printed.
    """
    if allocator := _ALLOCATOR.search(linked):
        return f"{UNSEEN}: it has a {allocator[1]} of its own"
    plain = _LITERAL.sub(_empty_text, code.replace("\\\n", ""))
    if _PLACE.search(code) or _RENAMED.search(plain):
        return f"{UNSEEN}: it names lines of its own"
    places = _PLACE.split(expanded)[1:]
    expanded_program = ""
    for name, text in zip(places[::2], places[1::2], strict=True):
        if name == program:
            expanded_program += text
    if len(expanded_program) > LONGEST or program not in places:
        return f"{UNSEEN}: its macros make too much of it"
    escape = _ESCAPES.search(_LITERAL.sub(_empty_text, expanded_program))
    return f"{UNSEEN}: it has {escape[0]} in its text" if escape else ""


def _empty_text(literal: re.Match[str]) -> str:
    """A blank for a comment, an empty text for one that is no instruction which touches memory."""
    if literal["raw"] or not _INERT.fullmatch(literal["text"] or ""):
        return '"..."'
    return " " if literal["text"] is None else '""'
