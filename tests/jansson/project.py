"""Jansson, a JSON library: 16 programs that test its functions, and texts that it reads."""

from collections.abc import Sequence

from kit.core.trees import Package
from kit.systems.ossbench.project import (
    GENERATED,
    MOUNT,
    Adapter,
    ProjectProgram,
    TestRun,
    Unit,
)

FLAGS = (f"-I{MOUNT}/src", f"-I{MOUNT}/{GENERATED}", "-DHAVE_STDINT_H", "-DHAVE_UNISTD_H")
READER = "test/bin/json_process.c"  # reads a text, prints it, compares with what is expected
SUITES = ("valid", "invalid", "invalid-unicode", "encoding-flags")  # folders of such texts


class Jansson(Adapter):
    """An unpacked source of Jansson 2.14."""

    name = "jansson"
    package = Package("jansson", "2.14-2")
    leaks = True

    def configure(self) -> str:
        return r"""
            sed 's/@json_inline@/inline/; s/@json_have_\w*@/1/' /mnt/src/jansson_config.h.in \
                > jansson_config.h
            echo '/* FLAGS say what is here. */' > jansson_private_config.h
        """

    def units(self) -> Sequence[Unit]:
        sources = [*self._find("src/*.c"), *self._find("test/suites/api/*.c"), READER]
        return [Unit(source, FLAGS) for source in sources]

    def programs(self) -> Sequence[ProjectProgram]:
        library = self._find("src/*.c")
        programs = [ProjectProgram("json_process", (*library, READER))]
        for source in self._find("test/suites/api/*.c"):
            programs.append(ProjectProgram(_stem(source), (*library, source), ("-lm",)))
        return programs

    def tests(self) -> dict[str, list[TestRun]]:
        quick = []
        for source in self._find("test/suites/api/*.c"):
            quick.append(TestRun(_stem(source), _stem(source), whole=True))
        texts = []
        for suite in SUITES:
            for text in self._find(f"test/suites/{suite}/*/input"):
                folder = text.removesuffix("/input")
                argv = (f"{MOUNT}/{folder}",)
                name = folder.removeprefix("test/suites/")
                texts.append(TestRun(name, "json_process", argv, whole=True))
                stripped = ("--strip", *argv)
                texts.append(TestRun(f"{name} stripped", "json_process", stripped, whole=True))
        return {"quick": quick, "all": [*quick, *texts]}

    def is_edited(self, path: str) -> bool:
        return path.startswith("src/")

    def _find(self, pattern: str) -> list[str]:
        return sorted(str(path.relative_to(self.tree)) for path in self.tree.glob(pattern))


def _stem(source: str) -> str:
    return source.rpartition("/")[2].removesuffix(".c")
