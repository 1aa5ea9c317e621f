"""Themes of the shop front: upload, installation, list."""

import io, os, shutil, zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath


class ThemeError(Exception):
    pass


@dataclass
class Theme:
    name: str
    folder: Path
    files: list[str] = field(default_factory=list)


class ThemeStore:
    def __init__(self, root: str | os.PathLike):
        self.root = Path(root).absolute()
        self.root.mkdir(parents=True, exist_ok=True)

    def folder_of(self, name: str) -> Path:
        if not name.isidentifier():
            raise ThemeError(f"{name!r} is no name for a theme")
        return self.root / name

    def remove(self, name: str) -> None:
        shutil.rmtree(self.folder_of(name), ignore_errors=True)

    def install(self, name: str, upload: bytes) -> Theme:
        """Put the files of the zip archive `upload` into the folder of the theme `name`.

        Subfolders are kept. The answer holds the paths of the files, relative to the folder of the theme and sorted.
        What is no zip archive raises ThemeError; so does an archive that cannot be installed.
        """
        try:
            archive = zipfile.ZipFile(io.BytesIO(upload))
        except zipfile.BadZipFile as error:
            raise ThemeError("not a zip archive") from error
        folder = self.folder_of(name)
        folder.mkdir(exist_ok=True)
