import io
import os
import re
import shutil
import zipfile
from pathlib import Path


class AttachmentStore:
    """Attachments of support tickets: each ticket has a folder of its own below `root`."""

    def __init__(self, root):
        self.root = Path(root)

    def folder(self, ticket):
        place = self.root / f"ticket-{int(ticket)}"
        place.mkdir(parents=True, exist_ok=True)
        return place

    def unpack(self, ticket, data):
        """Write the members of a zip archive that a customer sent into the ticket's folder.

        data: the bytes of the archive. Subfolders in it are kept, and a file of the same name
        is replaced. Returns the sorted names of the files; raises ValueError for bytes that are
        no zip archive.
        """
