"""In the box: what installed Python libraries say of themselves."""

import os
import pydoc

from kit_channel import Caught, Channel, take_job


def text(name: str, chars: int) -> str:
    """The documentation of one name, at most so many characters; "" where there is none."""
    thing = pydoc.locate(name)
    if thing is None:
        return ""
    return pydoc.plain(pydoc.render_doc(thing))[:chars]


def main() -> None:
    channel = Channel(os.environ.pop("KIT_CHANNEL"))
    job = take_job()
    docs = {}
    for name in job["names"]:
        with Caught():  # importing a library may raise whatever it likes
            documentation = text(name, job["chars"])
            if documentation:
                docs[name] = documentation
    channel.write({"docs": docs})


main()
