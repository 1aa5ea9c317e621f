"""Lab 5: memory safety for real. A C function is attacked, compiled with sanitizers, and mended."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from kit.core.errors import KitError
from kit.core.paths import DATA
from kit.core.records import Evidence, Status
from kit.course.exercise import (
    Remark,
    Seal,
    Setting,
    ask_function,
    ask_value,
    cut_text,
)
from kit.harness.box_files import Key
from kit.oracle import sanitizers
from kit.sandbox import Limits

LIMITS = Limits(wall_s=60, cpu_s=20, memory_mb=768, file_mb=64, disk_mb=160)
FLAGS = (
    "-std=gnu17 -g -O1 -w -fno-omit-frame-pointer -fsanitize=address,undefined "
    "-fno-sanitize-recover=all"
)
# Only the function itself is seen from outside: a malloc of the answer's own stays its own.
COMPILE = [
    "/bin/sh",
    "-ec",
    f"gcc {FLAGS} -c answer.c; objcopy --keep-global-symbol=$1 answer.o; "
    f"gcc {FLAGS} driver.c answer.o -o main",
    "sh",
]
START = ["/bin/sh", "-c", 'cp main run && chmod 700 run && exec ./run "$@"', "sh"]
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0:color=never"}
HEADERS = {"string.h", "stddef.h", "stdlib.h", "ctype.h", "stdint.h", "limits.h"}
# what would switch the sanitizer off, or answer in the driver's place
FORBIDDEN = re.compile(
    r"\b(__\w+|_Pragma|asm|main|printf|puts|putchar|fputs|fwrite|write|exit|_exit|_Exit|quick_exit"
    r"|abort|atexit|signal|system|syscall|getenv|setenv|no_sanitize\w*)\b|\\\n|\?\?|%:"
)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(.*)$", re.MULTILINE)
INCLUDE = re.compile(r"include[ \t]*<([\w.]+)>[ \t]*")

COPY, DECODE, DECODE_MENDED, DRIVER, LOG = (
    (DATA / "course" / "lab_05" / name).read_text(encoding="utf-8")
    for name in ("copy.c", "decode.c", "decode_mended.c", "driver.c", "asan.log")
)
COPY_MENDED = COPY.replace("length > size", "length >= size")


class Refused(Exception):
    """C text that is not compiled, or does not compile; its text is one sentence."""


def allowed(code: str) -> str:
    """Why a text is not compiled here; or "": the sanitizer stays on, and the driver speaks."""
    forbidden = FORBIDDEN.search(code)
    if forbidden:
        text = forbidden[0].strip() or "a line joined by a backslash"
        return f"{text} may not be used in this answer"
    for line in DIRECTIVE.findall(code):
        include = INCLUDE.fullmatch(line)
        if not include or include[1] not in HEADERS:
            return f"the only directives are #include of {', '.join(sorted(HEADERS))}"
    return ""


@lru_cache(maxsize=32)
def built(key: Key, code: str, name: str) -> bytes:
    """The program with its driver and the sanitizers; raises Refused with the compiler's line."""
    files = {
        "answer.c": code.encode(errors="replace"),
        "driver.c": DRIVER.replace("FUNCTION", name).encode(),
    }
    ran = _check_status(key.box.run([*COMPILE, name], files=files, limits=LIMITS, observe=False))
    if ran.exit_code or "main" not in ran.files:
        errors = [line for line in ran.err.splitlines() if "error" in line or "undefined" in line]
        first = errors[0] if errors else "no reason given"
        raise Refused(f"it does not compile: {cut_text(first)}")
    return ran.files["main"]


def _check_status(evidence: Evidence) -> Evidence:
    """The evidence; KitError if it is of the sandbox's failure."""
    if evidence.status is Status.INFRA_ERROR:
        raise KitError(f"The sandbox did not run: {evidence.note}. See what `kit doctor` says.")
    return evidence


def run(setting: Setting, code: str, name: str, text: str, size: int) -> Evidence:
    """One call of a C function in the sandbox; its output is "length hex"."""
    program = built(Key(setting.box), code, name)
    return _check_status(
        setting.box.run(
            [*START, text, str(size)],
            files={"main": program},
            env=OPTIONS,
            limits=LIMITS,
            observe=False,
        )
    )


def report(evidence: Evidence) -> str:
    """The kind of a sanitizer's first alert, "" where there is none."""
    alerts = sanitizers.parse_alerts(evidence.stderr)
    return alerts[0].kind if alerts else ""


def expected_copy(text: str, size: int) -> str:
    """What a right copy_name prints."""
    return _format_bytes(text.encode() if len(text.encode()) < size else None)


def expected_decode(text: str, size: int) -> str:
    """What a right decode prints."""
    raw = text.encode()
    if re.search(rb"%(?![0-9a-fA-F]{2})", raw):
        return _format_bytes(None)
    decoded = re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), raw)
    return _format_bytes(decoded if len(decoded) < size else None)


def _format_bytes(result: bytes | None) -> str:
    return "-1" if result is None else f"{len(result)} {result.hex()}".strip()


SIGN = Seal("{sign} takes the place of %.", {"sign": tuple("=~@^!")})


def escaped(text: str, variant: int) -> str:
    """A text or a program with this copy's sign in the place of %."""
    return text.replace("%", SIGN.draw_choices(variant).get("sign", "%"))


def crash(code: str, name: str, mended: str) -> Callable[[Any, Setting], Sequence[Remark]]:
    """A text and a size that make the sanitizer speak, but not in a right function."""

    def judge(attack: Any, setting: Setting) -> list[Remark]:
        if not _is_attack(attack):
            return [Remark(False, "give a text of 1 to 200 characters and a size of 1 to 64", True)]
        kinds = []
        for program in (code, mended):
            program = escaped(program, setting.variant)
            kinds.append(report(run(setting, program, name, attack["text"], attack["size"])))
        return [
            Remark(bool(kinds[0]), f"the sanitizer reports {kinds[0] or 'nothing'}", needed=True),
            Remark(not kinds[1], "a mended function has no report", needed=True),
        ]

    return judge


def _is_attack(answer: Any) -> bool:
    """Whether an answer has the form {"text": 1 to 200 characters, "size": 1 to 64}."""
    if not isinstance(answer, dict) or set(answer) != {"text", "size"}:
        return False
    text = answer["text"]
    size = answer["size"]
    if not isinstance(text, str) or not 0 < len(text) <= 200 or "\0" in text:
        return False
    return type(size) is int and 0 < size <= 64


def mended(
    name: str, expected: Callable[[str, int], str], fixed: Sequence[tuple[str, int]]
) -> Callable[[Any, Setting], Sequence[Remark]]:
    """A C text whose function is right and silent on given and on drawn texts."""

    def judge(code: Any, setting: Setting) -> list[Remark]:
        if not isinstance(code, str) or len(code) > 20_000:
            return [Remark(False, "give the C function as a text", needed=True)]
        refusal = allowed(code)
        if refusal:
            return [Remark(False, refusal, needed=True)]
        rng = setting.make_rng(name)
        drawn = [_text(rng) for _ in range(8 if setting.is_marking else 2)]
        remarks = []
        for plain, size in [*fixed, *drawn]:
            text = escaped(plain, setting.variant)
            try:
                ran = run(setting, code, name, text, size)
            except Refused as error:
                return [Remark(False, str(error), needed=True)]
            wanted = expected(plain, size)
            output = ran.out.strip()
            ok = output == wanted and ran.status is Status.COMPLETED and ran.exit_code == 0
            result = f" gives {output or ran.status}; expected {wanted}"
            kind = report(ran)
            if kind:
                ok = False
                result = f": {kind}"
            call = f"{name}({text!r}, out, {size})"
            remarks.append(Remark(ok, cut_text(call + result), needed=True))
        return remarks

    return judge


def _text(rng: np.random.Generator) -> tuple[str, int]:
    words = ["a", "bc", "%41", "%7e", "%2F", "%", "%4", "%zz", "0"]
    often = [0.2, 0.2, 0.15, 0.15, 0.1, 0.05, 0.05, 0.05, 0.05]
    parts = rng.choice(words, int(rng.integers(1, 7)), p=often)
    text = "".join(map(str, parts))
    return text, max(1, len(text) + int(rng.integers(-3, 3)))


def alerts(log: str) -> int:
    """The number of alerts in a log of AddressSanitizer."""
    return len(re.findall(r"^==\d+==ERROR: AddressSanitizer", log, re.MULTILINE))


def triage(log: str, frame: int = 0) -> dict[str, str] | None:
    """The kind of the first alert and the function of its innermost frame; None of no alert."""
    kind = re.search(r"ERROR: AddressSanitizer: ([\w-]+)", log)
    if not kind:
        return None
    line = re.compile(rf"^\s+#{frame} 0x[0-9a-f]+ in (\w+)", re.MULTILINE)
    function = line.search(log[kind.end() :])
    return {"kind": kind[1], "function": function[1]} if function else None


def _log(rng: np.random.Generator) -> Mapping[str, Any]:
    kinds = ["heap-buffer-overflow", "stack-buffer-overflow", "heap-use-after-free", "double-free"]
    names = ["decode", "copy_name", "parse_value", "free_list", "next_token"]
    lines = []
    for _ in range(int(rng.integers(0, 3))):
        kind = rng.choice(kinds)
        inner, outer = rng.choice(names, 2, replace=False)
        number = int(rng.integers(100, 999))
        lines += [
            f"=={number}==ERROR: AddressSanitizer: {kind} on address 0x60200000001{number}",
            f"    #0 0x55d0c0ffee{number % 90 + 10} in {inner} src/answer.c:{number % 50}",
            f"    #1 0x55d0c0ffed{number % 90 + 10} in {outer} src/driver.c:{number % 40}",
        ]
    return {"log": "\n".join(["starting", *lines, "done"])}


TEXTS = [("a%41", 3), ("a%41", 2), ("%", 8), ("%4", 8), ("%zz", 8), ("", 1), ("ab", 2)]
EXERCISES = (
    ask_value(
        "5.1p",
        "long_name",
        "Make the copy write beyond its room",
        0,
        crash(COPY, "copy_name", COPY_MENDED),
    ),
    ask_value(
        "5.1",
        "long_text",
        "Make the decoder leave its memory",
        2,
        crash(DECODE, "decode", DECODE_MENDED),
        SIGN,
    ),
    ask_function(
        "5.2p",
        "How many alerts are in a log?",
        alerts,
        fixed=[{"log": LOG}, {"log": "all is well"}],
        drawn=_log,
    ),
    ask_function(
        "5.2",
        "What and where is the first alert?",
        triage,
        3,
        fixed=[{"log": LOG}, {"log": "all is well"}],
        drawn=_log,
        seal=Seal("name the function of frame #{frame}, not #0.", {"frame": (1,)}),
    ),
    ask_value(
        "5.3p",
        "copy_name",
        "Mend the copy",
        0,
        mended("copy_name", expected_copy, [("abc", 4), ("abc", 3), ("", 1)]),
    ),
    ask_value(
        "5.3", "decode", "Mend the decoder", 5, mended("decode", expected_decode, TEXTS), SIGN
    ),
)
