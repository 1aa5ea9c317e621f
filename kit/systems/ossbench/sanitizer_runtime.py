"""What a tested program said on its channel: the runner's own words, and the sanitizers' reports.

Records of runtime.c begin with the nonce of the run, which no edit knows; everything else on the
channel is unsigned: numbers of edits that ran, and the reports of sanitizers.
"""

import re
from dataclasses import dataclass
from importlib import resources

EXECUTED = re.compile(rb"^\d+$", re.MULTILINE)
RUNTIME = "runtime.c"
WRAPPED = ("main", "longjmp", "_longjmp", "siglongjmp", "dlsym", "__sanitizer_set_report_path",
           "__sanitizer_set_report_fd", "__asan_set_error_report_callback", "__lsan_disable",
           "pthread_create", "thrd_create", "timer_create", "clone")  # fmt: skip
LINK = tuple(f"-Wl,--wrap={name}" for name in WRAPPED)


@dataclass(frozen=True)
class Told:
    """printed: stdout while no edit was live. log: the rest, where the sanitizers' reports are.

    ended: did the runner come to its own end? left: number of the edit that ended the program, if
    one did. undefined: reports of UBSan that the program counted. reached: the functions that an
    edit called and that take reports away or begin a thread.
    """

    printed: bytes
    log: bytes
    ended: bool = False
    left: int | None = None
    undefined: int = 0
    reached: tuple[str, ...] = ()

    @property
    def executed(self) -> frozenset[int]:
        return frozenset(map(int, EXECUTED.findall(self.log)))


def heard(channel: bytes, nonce: str) -> Told:
    """The records with this nonce, each by its length, and what stands around them."""
    said: dict[bytes, list[bytes]] = {}
    rest, at = [], 0
    record = re.compile(rb"\n%s (\w+) (\d{1,5})\n" % re.escape(nonce.encode()))
    while found := record.search(channel, at):
        end = found.end() + int(found[2])
        said.setdefault(found[1], []).append(channel[found.end() : end])
        rest.append(channel[at : found.start()])
        at = end
    ends, left = said.get(b"end", []), said.get(b"exit", [])
    return Told(
        b"".join(said.get(b"out", [])),
        b"".join([*rest, channel[at:]]),
        ended=bool(ends),
        left=int(left[0]) if left else None,
        undefined=int(ends[0]) if ends else 0,
        reached=tuple(sorted({w.decode("ascii", "replace") for w in said.get(b"reach", [])})),
    )


def runtime(secret: str, last: int) -> str:
    """The source that is linked into every tested program, for edits with numbers up to `last`."""
    text = resources.files("kit.systems.ossbench").joinpath(RUNTIME).read_text()
    return f"#define KIT_LAST {last}\n#define KIT(name) kit_{secret}_##name\n{text}"
