import base64
import io
import json
import pickle

import yaml

FIELDS = ("name", "languages", "font_size")


def export_profile(profile):
    """The profile, a dict of FIELDS (text, list of texts, number), as bytes of a file.

    Below it, import_profile(data) is its counterpart: the profile out of such a file, which a
    user uploads on another machine. It raises ValueError for bytes that hold no dict of exactly
    the FIELDS.
    """
