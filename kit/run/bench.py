"""How fast a sandboxed run is, as ratios to what else could be done in the same minutes."""

import contextlib
import cProfile
import pstats
import resource
import statistics
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docker.errors import ImageNotFound

from kit.sandbox import Limits, Sandbox, engine, image, open_sandbox
from kit.sandbox.bwrap import Bwrap

PROGRAM = ["/usr/bin/python3", "-I", "-c", "print(1)"]
ROUNDS = 10
SINGLE = 40  # runs of one worker, for the breakdown
STAGES = {
    "request the box": ("slot.py", "send"),
    "namespaces and mounts": ("box.py", "_hold"),
    "inputs": ("collect.py", "place"),
    "cgroup before": ("cgroups.py", "begin"),
    "the program, traced": ("process.py", "listen"),
    "end of all processes": ("box.py", "_kill"),
    "cgroup after": ("cgroups.py", "end"),
    "artefacts": ("collect.py", "take"),
    "reading the trace": ("syscalls.py", "read_trace"),
    "all, under the profiler": ("bwrap.py", "run"),
}


def bare() -> None:
    """The same program with nothing around it but a subprocess and its pipes."""
    subprocess.run(PROGRAM, capture_output=True, check=True, env={}, cwd="/")


def contained() -> None:
    """The same program in a container of its own, as `docker run` makes it."""
    line = ["docker", "run", "--rm", "--network", "none", image.tag(), *PROGRAM]
    subprocess.run(line, capture_output=True, check=True)


def boxed(box: Sandbox, *, observe: bool = True) -> None:
    """The same program in a fresh box, its evidence collected."""
    if (seen := box.run(PROGRAM, observe=observe)).out != "1\n":
        raise RuntimeError(f"the program did not run: {seen.status} {seen.note}")


def _rate(pool: ThreadPoolExecutor, action: Callable[[], None], times: int) -> float:
    start = time.perf_counter()
    list(pool.map(lambda _: action(), range(times)))
    return times / (time.perf_counter() - start)


def _rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def _containers_can_run() -> bool:
    if not engine.answers():
        return False
    with contextlib.suppress(ImageNotFound), contextlib.closing(engine.connect()) as client:
        return bool(client.images.get(image.tag()))
    return False


def sandbox(*, runs: int = 200, workers: int = 2) -> dict[str, float | int | str | None]:
    """Runs a second and their ratios (median over interleaved rounds), memory, time by stage.

    Ratios are to a bare interpreter and to `docker run`, where an engine with our image answers;
    where none does they are None.
    """
    each = max(1, runs // ROUNDS)
    docker = _containers_can_run()
    names = ("bare", "bwrap", "bwrap, strace", "unobserved", "warm", "docker run")
    rates: dict[str, list[float]] = {name: [] for name in names}
    rss: list[float] = []
    with (
        open_sandbox("bwrap") as box,
        Bwrap(Limits(), tracer="strace") as old,
        open_sandbox("warm") as warm,
        ThreadPoolExecutor(workers) as pool,
    ):
        for tier in (box, old, warm):
            _rate(pool, lambda tier=tier: boxed(tier), workers * 2)  # type: ignore[misc]
        for _ in range(ROUNDS):
            rates["bare"].append(_rate(pool, bare, each))
            rates["bwrap"].append(_rate(pool, lambda: boxed(box), each))
            rates["bwrap, strace"].append(_rate(pool, lambda: boxed(old), each))
            rates["warm"].append(_rate(pool, lambda: boxed(warm), each))
            few = max(workers, each // 5)
            rates["unobserved"].append(_rate(pool, lambda: boxed(box, observe=False), few))
            if docker:
                rates["docker run"].append(_rate(pool, contained, workers))
            rss.append(_rss_mb())
        stages = _stages(box)
    return {
        "runs": each * ROUNDS,
        "workers": workers,
        **{f"{name} per second": _median(found) for name, found in rates.items()},
        "bwrap / bare": _ratio(rates["bwrap"], rates["bare"]),
        "bwrap, strace / bare": _ratio(rates["bwrap, strace"], rates["bare"]),
        "warm / bare": _ratio(rates["warm"], rates["bare"]),
        "bwrap / docker run": _ratio(rates["bwrap"], rates["docker run"]),
        "memory at first, MB": round(rss[0], 1),
        "memory at last, MB": round(rss[-1], 1),
        "memory at its peak, MB": round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1
        ),
        **stages,
    }


def _median(values: list[float]) -> float | None:
    return round(statistics.median(values), 1) if values else None


def _ratio(ours: list[float], theirs: list[float]) -> float | None:
    pairs = [a / b for a, b in zip(ours, theirs, strict=False)]
    return round(statistics.median(pairs), 2) if pairs else None


def _mean_ms(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    for _ in range(SINGLE):
        action()
    return round((time.perf_counter() - start) / SINGLE * 1000, 2)


def _stages(box: Sandbox) -> dict[str, float]:
    """Milliseconds of one run by stage, with one worker; "our own work" is CPU time of the kit."""
    found = {
        "ms, bare": _mean_ms(bare),
        "ms, unobserved": _mean_ms(lambda: boxed(box, observe=False)),
    }
    start = time.thread_time()
    found["ms, bwrap"] = _mean_ms(lambda: boxed(box))
    found["ms, our own work"] = round((time.thread_time() - start) / SINGLE * 1000, 2)
    profile = cProfile.Profile()
    profile.runcall(_mean_ms, lambda: boxed(box))
    calls = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for label, (file, name) in STAGES.items():
        spent = sum(
            v[3] for k, v in calls.items() if k[0].endswith(f"sandbox/{file}") and k[2] == name
        )
        found[f"ms, {label}"] = round(spent / SINGLE * 1000, 2)
    return found
