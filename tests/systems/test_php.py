"""PHP: logs of run-tests.php, flags, modules, scripts fused of two tests; and a small build."""

from dataclasses import replace
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.core.trees import Package
from kit.sandbox import Limits, open_sandbox
from kit.systems.ossbench import (
    fuzz,
    mock_models,
    php,
    php_whole,
    phpt,
    project,
    schemata,
    testsuite,
)
from kit.systems.ossbench.extract import find_functions
from kit.systems.ossbench.project import describe, open_project
from kit.systems.ossbench.toolchain import Workshop
from tests.support.small_project import edit_of, readers_of

PHP = php.Php(Path())
LOG = (Path(__file__).parents[1] / "files/run-tests.log").read_text()


def test_a_line_a_test_is_read_and_a_skipped_one_is_none():
    assert PHP.read_results("basic", LOG) == {
        "basic/001": True,
        "basic/002": False,
        "basic/003": False,
        "basic/rfc1867_multiple_webkitdirectory": False,
    }


def test_no_test_passed_without_the_runners_count_or_with_a_leak_or_a_warning():
    assert not any(PHP.read_results("basic", LOG.partition("Tests passed")[0]).values())
    log = "WARN&PASS a title [x/a.phpt]\nFAIL&LEAK b [x/b.phpt]\nXFAIL c [x/c.phpt] reason: known\n"
    assert PHP.read_results("x", log) == {"x/a": False, "x/b": False}
    assert PHP.read_results("x", "") == {}


def test_what_a_generator_wrote_is_given_to_no_model():
    assert PHP.is_edited("Zend/zend_hash.c")
    assert PHP.is_edited("ext/json/json_encoder.c")
    for path in (
        "Zend/zend_vm_execute.h",
        "Zend/zend_language_parser.c",
        "TSRM/TSRM.c",
        "ext/json/json_scanner.c",
        "ext/date/lib/parse_date.c",
    ):
        assert not PHP.is_edited(path)


def test_the_folders_of_the_build_stand_where_its_files_are_kept(tmp_path):
    (tmp_path / "kit-generated").mkdir()
    (tmp_path / "kit-generated/make.log").write_text(
        "sh libtool --mode=compile cc -Iext/x/ -I/box/main -I/mnt -DA -Wall -fno-common "
        "-c /mnt/ext/x/x.c -o ext/x/x.lo \n"
        "sh libtool --mode=compile cc -I/mnt -DB -c main/made.c -o main/made.lo \n"
        "sh libtool --mode=compile cc -I/mnt -c /mnt/Zend/asm/jump.S -o Zend/asm/jump.lo \n"
        "sh libtool --mode=link cc -export-dynamic ext/x/x.o -lrt -lm  -o sapi/cli/php\n"
    )
    project = describe(php.Php(tmp_path))
    first, second = project.units
    assert first.flags[:3] == ("-I/mnt/kit-generated/ext/x", "-I/mnt/kit-generated/main", "-I/mnt")
    assert "-Wall" not in first.flags
    assert (first.source, second.source) == ("ext/x/x.c", "kit-generated/main/made.c")
    assert project.programs[0].libraries == ("-rdynamic", "-lrt", "-lm", "/mnt/Zend/asm/jump.S")


def test_a_version_is_asked_for_by_the_name_that_the_archive_has_for_it(monkeypatch):
    asked = []

    def refuse(package):
        asked.append(package)
        raise KitError("There is no archive here.")

    monkeypatch.setattr(project, "unpack_package", refuse)
    for version in ("8.4.27-1~deb13u1", "8.2.99-1", php.PACKAGE.version):
        with pytest.raises(KitError, match="no archive"):
            open_project("php_whole", version=version)
    later, patched, pinned = asked
    assert later == Package("php8.4", "8.4.27-1~deb13u1")
    assert patched == Package("php8.2", "8.2.99-1")
    assert pinned == php.PACKAGE


def write_release(tree):
    (tree / "Zend").mkdir()
    for path in php.RELEASED:
        (tree / path).touch()
    return tree


def test_a_release_is_configured_by_its_own_script_and_needs_no_generators(tmp_path, monkeypatch):
    monkeypatch.setitem(php.ENVIRONMENT, "PATH", "")
    script = php.Php(write_release(tmp_path)).configure()
    assert "sh /mnt/configure --disable-all" in script
    assert "buildconf" not in script


def test_generators_that_a_git_checkout_needs_are_told_by_their_packages(tmp_path, monkeypatch):
    monkeypatch.setitem(php.ENVIRONMENT, "PATH", "")
    with pytest.raises(KitError, match="Type: apt-get install autoconf bison re2c$"):
        php.Php(tmp_path).configure()
    monkeypatch.setattr(php_whole, "find_missing_packages", lambda: ["libpng-dev"])
    with pytest.raises(KitError, match="install autoconf bison re2c libpng-dev$"):
        php_whole.PhpWhole(tmp_path).configure()


def test_where_opcache_cannot_be_left_out_its_compiler_is(tmp_path):
    rules = write_release(tmp_path) / "ext/opcache/config.m4"
    rules.parent.mkdir(parents=True)
    rules.write_text("PHP_ARG_ENABLE([opcache],\nPHP_ARG_ENABLE([opcache-jit],\n")
    assert "--disable-opcache-jit" not in php.Php(tmp_path).configure()
    rules.write_text("PHP_ARG_ENABLE([opcache-jit],\n")
    assert "--disable-opcache-jit" in php.Php(tmp_path).configure()


CHECKOUT = {  # what of php-src configuring starts, in small
    "buildconf": "test $1 = --force && cp later/* . && mv php_config.h.in main",
    "scripts/dev/genfiles": "for end in c h; do echo made > Zend/zend_language_parser.$end; done",
    "later/configure": "test $1 = --srcdir=/mnt && cp main/php_config.h.in main/php_config.h\n"
    "cp /mnt/rules Makefile",
    "later/php_config.h.in": "",
    "rules": "cli:\n\tlibtool --mode=compile cc -IZend/ -I/box/Zend -c /mnt/Zend/zend.c -o x.lo\n"
    "\tlibtool --mode=compile cc -IZend/ -c /mnt/Zend/zend_language_parser.c -o y.lo\n"
    "\tlibtool --mode=link cc -lm -o sapi/cli/php\n",
    "Zend/zend.c": "",
    "Zend/tests/stale.c": "",
    "main/main.c": "",
}


def test_what_a_release_brings_is_generated_for_a_git_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(php, "GENERATORS", ())
    for path, text in CHECKOUT.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    opened = open_project("php", checkout=tmp_path)
    made = "kit-generated/Zend/zend_language_parser.c"
    assert [unit.source for unit in opened.units] == ["Zend/zend.c", made]
    assert opened.units[0].flags[0] == "-I/mnt/kit-generated/Zend"
    assert not opened.edited(made)
    generated = sorted((opened.tree / "kit-generated").rglob("*.*"))
    names = [path.name for path in generated]
    header = "zend_language_parser.h"
    assert names == [Path(made).name, header, "configure.log", "php_config.h", "make.log"]


def test_tests_of_one_name_in_two_folders_of_a_module_are_two():
    log = "PASS a [ext/x/tests/a/001.phpt]\nPASS b [ext/x/tests/b/001.phpt]\nTests passed : 2\n"
    assert PHP.read_results("x", log) == {"x/a/001": True, "x/b/001": True}


def test_every_module_that_is_built_and_has_tests_is_a_run(tmp_path):
    log = "cc --mode=compile cc -I/mnt -c /mnt/{0} -o x.lo \n"
    sources = ("ext/json/json.c", "ext/date/lib/x.c", "ext/bare/bare.c", "Zend/zend.c")
    (tmp_path / "kit-generated").mkdir()
    (tmp_path / "kit-generated/make.log").write_text("".join(map(log.format, sources)))
    for folder in ("ext/json/tests", "ext/bcmath/tests", "Zend/tests"):
        (tmp_path / folder).mkdir(parents=True)
    runs = php.Php(tmp_path).tests()["all"]
    assert [run.name for run in runs] == ["Zend", "json"]
    assert "-j2" in runs[1].argv
    assert runs[1].argv[-1] == "ext/json/tests"


def write_test(path, code, expected="1"):
    path.write_text(f"--TEST--\nx\n--FILE--\n<?php\n{code}\n?>\n--EXPECT--\n{expected}\n")
    return path


def test_a_test_that_cannot_stand_beside_another_is_not_fused(tmp_path):
    assert phpt.read_script(write_test(tmp_path / "a", "echo 1;")) == "echo 1;\n"
    for code in ("exit(1);", "namespace A;", "declare(strict_types=1);", "require 'x';"):
        assert phpt.read_script(write_test(tmp_path / "b", code)) == ""
    assert phpt.read_script(write_test(tmp_path / "c", "f();", "Fatal error: x")) == ""


def test_a_fused_script_has_both_in_order_and_a_value_flows_from_the_first_to_the_second(tmp_path):
    tests = tmp_path / "Zend/tests"
    tests.mkdir(parents=True)
    write_test(tests / "a.phpt", "class A {}\n$left = new A;")
    write_test(tests / "b.phpt", "class A {}\n$right = 2;")
    write_test(tests / "c.phpt", "class B {}\n$other = 3;")
    scripts = phpt.fuse_tests(tmp_path, 30)
    assert scripts == phpt.fuse_tests(tmp_path, 30)
    assert len(scripts) == 30
    texts = [data.decode() for data in scripts.values()]
    assert all(text.count("class A {}") <= 1 for text in texts)
    flows = [text for text in texts if "$other = $left ?? $other = 3;" in text]
    assert flows
    assert flows[0].index("class A") < flows[0].index("class B")


@pytest.fixture(scope="module")
def build():
    """(workshop, readers, edit with a seeded fault) of the extensions that cannot be left out."""
    project = open_project("php", tests="json")
    parser = project.unit("ext/json/json_parser.tab.c")
    table = find_functions(replace(project, units=(parser,)))
    name = "php_json_parser_array_append"
    edit = edit_of(table, name, lambda text: mock_models.sabotage(text, "spatial"))
    with open_sandbox("bwrap", Limits(ptrace=True)) as box:
        yield Workshop(box, project), readers_of(table), edit


@pytest.mark.slow
def test_a_module_passes_with_its_runners_own_workers_and_a_seeded_fault_is_seen(build):
    shop, readers, edit = build
    texts = dict(schemata.plan_switches(shop, [edit]).texts)
    built = testsuite.build_programs(shop, texts, readers, last=edit.index)
    suite = testsuite.ProjectTests(shop, *built)
    clean = suite.run()
    assert clean.ended == {}
    assert clean.alerts == ()
    assert len(clean.tests) > 60
    assert all(clean.tests.values())
    hurt = suite.run([edit.index])
    assert 0 < hurt.pass_rate(clean.tests) < 1
    assert {owner for _, owners in hurt.alerts for owner in owners} == {edit.index}


@pytest.mark.slow
def test_phps_own_fuzzer_and_fused_tests_find_a_seeded_fault(build):
    shop, readers, edit = build
    chosen = tuple(t for t in shop.project.fuzz if fuzz.target_name(t) in {"json", "php"})
    shop = Workshop(shop.box, replace(shop.project, fuzz=chosen))
    texts = dict(schemata.plan_switches(shop, [edit]).texts)
    fuzzer = fuzz.Fuzzer.build(shop, texts, readers, last=edit.index)
    clean = fuzzer.run([], inputs=40)
    assert clean.ended == {}
    assert clean.fuzzed["json"][0] >= 20
    assert clean.fuzzed["json"][1] > 0
    assert clean.fuzzed["php"] == (20, 0)
    hurt = fuzzer.run([edit.index], inputs=40)
    assert edit.index in hurt.executed
    assert (edit.index,) in {owners for _, owners in hurt.alerts}
