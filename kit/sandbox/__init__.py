"""open_sandbox(tier) opens a box in which an untrusted program runs and is seen from outside."""

from pathlib import Path

from kit.errors import KitError
from kit.sandbox.base import Limits, Sandbox

__all__ = ["TIERS", "Limits", "Sandbox", "available", "open_sandbox"]

TIERS = ("bwrap", "docker", "bare")


def open_sandbox(tier: str = "bwrap", limits: Limits | None = None) -> Sandbox:
    """The tier named, ready to run programs; a KitError says what is missing and how to get it.

    "bwrap": namespaces, seccomp and cgroups. "docker": a container of its own for every run.
    "bare": no isolation at all; for programs that you would start by hand.
    "bwrap:FOLDER": with the libraries there (see kit.harness.libraries).
    """
    tier, _, folder = tier.partition(":")
    if folder:
        from kit.sandbox.base import WithPackages

        box = open_sandbox(tier, limits)
        try:
            return WithPackages(box, Path(folder))
        except KitError:
            box.close()
            raise
    if tier not in TIERS:
        raise KitError(f"Unknown sandbox {tier!r}. Use one of: {', '.join(TIERS)}.")
    limits = limits or Limits()
    if tier == "bwrap":
        from kit.sandbox.bwrap import Bwrap

        return Bwrap(limits)
    if tier == "docker":
        from kit.sandbox.docker import Docker

        return Docker(limits)
    from kit.sandbox.bare import Bare

    return Bare(limits)


def available() -> dict[str, str]:
    """Tier -> "" where it can be used, else one sentence with what is missing and what to type."""
    from kit.sandbox import bare, bwrap, docker

    return {"bwrap": bwrap.missing(), "docker": docker.missing(), "bare": bare.missing()}
