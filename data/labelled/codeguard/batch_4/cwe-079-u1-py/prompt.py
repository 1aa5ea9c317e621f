"""Pages of the chess club: what the members wrote about themselves."""

import html
import re
from collections.abc import Iterable
from typing import NamedTuple

import jinja2
import markupsafe

PAGE_HEAD = "<!doctype html><meta charset='utf-8'><title>Our members</title><ul>"
PAGE_FOOT = "</ul>"


class Member(NamedTuple):
    name: str
    status: str  # a short line that the member can change at any time
    bio: str  # some lines of text
    rating: int = 1200


def page(members: Iterable[Member]) -> str:
    """The whole page, best players first."""
    ranked = sorted(members, key=lambda member: -member.rating)
    return PAGE_HEAD + "".join(entry(member) for member in ranked) + PAGE_FOOT


def entry(member: Member) -> str:
    """Return the HTML of the list entry of one member.

    It is <li class="member" title="STATUS"><b>NAME</b> (RATING)<p>BIO</p></li>. The visitor sees the texts just as
    the member typed them; the lines of the bio are separated by <br>.
    """
