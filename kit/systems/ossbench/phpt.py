"""Scripts for PHP that are fused of two of its own tests, as FlowFusion does (section 3.4).

Code of both runs in one script, values of the first flow into variables of the second, and
functions of the interpreter are called with what both left behind.
"""

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FILE = re.compile(r"^--FILE--\n(.*?)^--[A-Z_]+--$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"\A<\?php\b(.*?)(?:\?>\s*)?\Z", re.DOTALL)
# would not stand beside another script, would wait, or would end the fused script early
UNFIT = re.compile(
    r"\?>|__halt_compiler|declare\s*\(|^\s*(?:namespace|use)\b|\b(?:require|include)(?:_once)?\b"
    r"|\b(?:sleep|usleep|exit|die|pcntl_\w+|posix_kill|readline\w*|proc_open|fgets|set_time_limit)\b",
    re.MULTILINE,
)
FATAL = re.compile(r"(?:Fatal|Parse) error")  # a test that expects one has nothing behind it
FUSED = ("Zend/tests", "tests", "ext/*/tests")  # folders whose tests are fused
VARIABLE = re.compile(r"(?<![\\\w:$])\$(?!this\b|GLOBALS\b|_)[A-Za-z]\w*")
ASSIGNED = re.compile(rf"^\s*({VARIABLE.pattern})\s*=(?![=>])", re.MULTILINE)  # a statement
DECLARED = re.compile(
    r"^(?:(?:abstract|final|readonly) )*(?:function|class|interface|trait|enum)\s+&?(\w+)",
    re.MULTILINE | re.IGNORECASE,
)
CALLS = """
$names = get_defined_functions()["internal"];
mt_srand({seed});
$values = array_values(get_defined_vars());
for ($n = 0; $n < {calls}; $n++) {{
    $name = $names[mt_rand(0, count($names) - 1)];
    if (preg_match('/{unfit}/', $name)) continue;
    $given = [];
    for ($count = mt_rand(0, 3); $count > 0; $count--) $given[] = $values[array_rand($values)];
    try {{ @$name(...$given); }} catch (Throwable $error) {{ }}
}}
"""
CALLED = 20  # functions of the interpreter that a fused script calls
# of these functions none is called: they wait, end the script or change what runs
UNCALLED = (
    "sleep|exec|system|passthru|popen|proc_|pcntl_|posix_|readline|time_limit|socket|mail|fork"
)
DRIVER = """
foreach (array_slice(glob("*.php"), {skip}) as $name) {{
    echo "input $name\\n";
    shell_exec("timeout {seconds} " . PHP_BINARY . " -n $name < /dev/null > /dev/null 2>&1");
}}
"""
SECONDS = 10  # of one script


def read_script(path: Path) -> str:
    """The code of a test without its opening tag; "" where it cannot be fused."""
    text = path.read_text("utf-8", "surrogateescape")
    section = FILE.search(text)
    code = CODE.match(section[1]) if section else None
    if code is None or UNFIT.search(code[1]) or FATAL.search(text):
        return ""
    return code[1].strip() + "\n"


@cache
def read_scripts(tree: Path) -> tuple[str, ...]:
    """The code of every test of the tree that can be fused."""
    scripts = []
    for folder in FUSED:
        for top in sorted(tree.glob(folder)):
            scripts += [read_script(path) for path in sorted(top.rglob("*.phpt"))]
    return tuple(script for script in scripts if script)


def fuse_tests(tree: Path, count: int) -> dict[str, bytes]:
    """`count` scripts, each of two tests that the number of the script draws."""
    fit = read_scripts(tree)
    fused = {}
    for number in range(count):
        rng = random.Random(number)
        first = rng.choice(fit)
        second = _choose_beside(first, fit, rng)
        text = fuse_scripts(first, second, rng)
        fused[f"{number:06}.php"] = text.encode("utf-8", "surrogateescape")
    return fused


def _choose_beside(first: str, scripts: Sequence[str], rng: random.Random) -> str:
    """Another script that declares nothing that the first one declares; "" where none is drawn."""
    declared = {name.lower() for name in DECLARED.findall(first)}
    for _ in range(100):
        second = rng.choice(scripts)
        if declared.isdisjoint(name.lower() for name in DECLARED.findall(second)):
            return second
    return ""


def fuse_scripts(first: str, second: str, rng: random.Random) -> str:
    """One script: the first, a flow of its values into the second, the second, and calls."""
    sources = sorted(set(VARIABLE.findall(first)))
    assignments = list(ASSIGNED.finditer(second))
    if sources and assignments:
        place = rng.choice(assignments)
        # what the second assigned here is from now on what the first left in a variable
        flow = f"{place[1]} = {rng.choice(sources)} ?? "
        second = second[: place.start(1)] + flow + second[place.start(1) :]
    calls = CALLS.format(seed=rng.randrange(1 << 30), calls=CALLED, unfit=UNCALLED)
    return f"<?php\n{first}\n{second}\n{calls}"


def run_scripts(files: Sequence[str], skip: int) -> list[str]:
    """Arguments of php that run the scripts one after the other, each in a process of its own."""
    del files  # the driver lists its folder
    return ["-n", "-r", DRIVER.format(skip=skip, seconds=SECONDS)]
