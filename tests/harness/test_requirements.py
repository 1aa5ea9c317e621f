"""A user's own libraries: installed once outside the box, found inside it, in no result's way."""

import base64
import hashlib
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.core.store import Store
from kit.harness import libraries, wheels
from kit.harness.libraries import install_requirements
from kit.sandbox import open_sandbox
from tests.support import clones
from tests.support.commands import kit

NAME = "kit_test_library"
PATCHED = clones.CAGE["before"] + clones.CAGE["patched"] + clones.CAGE["after"]


def wheel(folder, version="1.0", code="answer = 42\n"):
    """A wheel of one module, made by hand."""
    info = f"{NAME}-{version}.dist-info"
    files = {
        f"{NAME}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    sums = {n: hashlib.sha256(text.encode()).digest() for n, text in files.items()}
    record = [
        f"{n},sha256={base64.urlsafe_b64encode(s).decode().rstrip('=')}," for n, s in sums.items()
    ]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""])
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{NAME}-{version}-py3-none-any.whl", "w") as made:
        for name, text in files.items():
            made.writestr(name, text)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A requirements.txt that needs no network; what came of it is removed at the end."""
    place = tmp_path_factory.mktemp("own")
    wheel(place / "wheels")
    file = place / "requirements.txt"
    lines = ["# ours", "--no-index", f"--find-links {place / 'wheels'}", f"{NAME}==1.0", ""]
    file.write_text("\n".join(lines))
    yield file
    shutil.rmtree(install_requirements(file))


@pytest.mark.slow
def test_what_a_file_names_is_found_in_the_box_and_part_of_its_identity(asked):
    folder = install_requirements(asked)
    assert install_requirements(asked) == folder
    program = f"import {NAME}; print({NAME}.answer); open({NAME}.__file__, 'a')"
    with open_sandbox(f"bwrap:{folder}") as box, open_sandbox("bwrap") as plain:
        seen = box.run(["/usr/bin/python3", "-c", program])
        assert libraries.count_absent(box, [(program, "python")]) == {}
        assert libraries.count_absent(plain, [(program, "python")]) == {("python", NAME): 1}
        assert box.identity.startswith(f"{plain.identity}, libraries ")
    assert seen.out == "42\n"
    assert "PermissionError" in seen.err or "Read-only" in seen.err


@pytest.mark.slow
def test_a_run_that_mounts_something_else_keeps_it(asked):
    show = f"import os, {NAME}; print(os.listdir('/opt'), {NAME}.__file__)"
    with open_sandbox(f"bwrap:{install_requirements(asked)}") as box:
        seen = box.run(["/usr/bin/python3", "-c", show], mounts={"/opt": Path("/usr/lib/python3")})
    assert "dist-packages" in seen.out
    assert "/mnt/python/" in seen.out


def test_a_tier_that_mounts_nothing_says_so(tmp_path):
    with pytest.raises(KitError, match="Use --sandbox bwrap"):
        open_sandbox(f"bare:{tmp_path}")
    with pytest.raises(KitError, match="holds no libraries"):
        open_sandbox(f"bwrap:{tmp_path}")


@pytest.mark.parametrize(
    "line",
    [
        "-e .",
        "git+https://example.org/x",
        "x @ https://example.org/x.tar.gz",
        "./x",
        "-r more.txt",
        "--no-binary :all:",
        "x==1 --config-settings=a=b",
        "C:\\x.zip",
    ],
)
def test_what_would_run_code_outside_is_refused(tmp_path, line):
    file = tmp_path / "requirements.txt"
    file.write_text(f"safe==1.0\n{line}\n")
    with pytest.raises(KitError, match="NAME==VERSION"):
        install_requirements(file)


def test_a_package_json_may_name_versions_only(tmp_path):
    file = tmp_path / "package.json"
    for wanted in ("git+https://example.org/x", "file:../x", "https://example.org/x.tgz"):
        file.write_text(json.dumps({"dependencies": {"x": wanted}}))
        with pytest.raises(KitError, match="Use a version"):
            install_requirements(file)
    file.write_text("[]")
    with pytest.raises(KitError, match="dependencies"):
        install_requirements(file)


@pytest.mark.slow
def test_a_failed_installation_is_a_sentence_and_leaves_nothing(tmp_path):
    file = tmp_path / "requirements.txt"
    file.write_text(f"--no-index\n--find-links {tmp_path}\n{NAME}==9.9\n")
    for _ in range(2):
        with pytest.raises(KitError, match=r"No matching distribution found for kit_test_lib"):
            install_requirements(file)


@pytest.mark.slow
def test_programs_that_need_a_library_are_judged_with_it(asked, tmp_path):
    clone = clones.seccodeplt(tmp_path / "clone")
    (tmp_path / "theirs/plt-0007").mkdir(parents=True)
    program = PATCHED + f"\nimport {NAME}\nassert {NAME}.answer == 42\n"
    (tmp_path / "theirs/plt-0007/mine.py").write_text(program)
    words = [
        "evaluate",
        "seccodeplt",
        "--programs",
        tmp_path / "theirs",
        "--data",
        clone,
        "--run",
        tmp_path / "run",
    ]
    outcomes = []
    for more in ([], ["--requirements", asked]):
        assert ("--requirements" in kit(*words, *more).stderr) == (not more)  # the line to type
        with Store(tmp_path / "run", write=False) as store:
            outcomes.append(set(store.frame()["outcome"]))
    assert outcomes == [{"unknown"}, {"pass"}]


def test_a_package_that_nobody_has_built_is_named(tmp_path):
    """Without its scripts it would be found by a program, and fail at the first use."""
    packages = {"plain/package.json", "@a/raw/binding.gyp", "raw/binding.gyp", "built/binding.gyp"}
    for name in packages | {"built/prebuilds/linux-x64/node.napi.node"}:
        (tmp_path / "node_modules" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "node_modules" / name).touch()
    assert wheels.find_unbuilt_packages(tmp_path) == ["@a/raw", "raw"]


@pytest.mark.slow
def test_a_package_that_has_to_be_compiled_is_found_in_the_box(tmp_path):
    file = tmp_path / "package.json"
    file.write_text(json.dumps({"dependencies": {"fs-ext": "2.1.1"}}))
    with open_sandbox(f"bwrap:{install_requirements(file)}") as box:
        code = "console.log(typeof require('fs-ext').flockSync)"
        assert box.run(["/usr/bin/node", "-e", code]).out == "function\n"
