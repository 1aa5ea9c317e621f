"""The log of run-tests.php as an interpreter built under sanitizers wrote it, and the flags."""

from pathlib import Path

from kit.systems.ossbench import php
from kit.systems.ossbench.project import describe

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
