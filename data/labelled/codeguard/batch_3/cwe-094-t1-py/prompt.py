"""Columns of reports. Customers design reports on a web page, where they type what a column shows."""

import functools
import re


class PathError(ValueError):
    """What was typed is no path of a field."""


def make_column(path):
    """A function that takes a record (dicts and lists, from JSON) and returns one field of it.

    path: where the field is, such as "customer.address.city" or "items[0].price": names (letters,
    digits and _, with no digit at the start) of keys, and numbers of places in lists. The function
    returns None for a record that has no such field. Anything but a path raises PathError, here or
    when the function is called.
    """
