"""open_sandbox(tier) opens a box in which an untrusted program runs and is watched from outside."""

from kit.sandbox.base import TIERS, Limits, Sandbox, available, open_sandbox

__all__ = ["TIERS", "Limits", "Sandbox", "available", "open_sandbox"]
