"""Edits that forge results, hide reports or turn others off: each is seen through."""

import pytest

from kit.systems.ossbench import mock_models, schemata, source, testsuite
from tests.support.small_project import TESTS, built, edit_of, switched

PASSING = TESTS - {"math/known failure"}
MODES = ("schemata", "rebuild")
ALL_OK = r'"add ok\nfact ok\ntwice ok\nsum ok\nnone ok\n"'
LOUD = f"extern int fflush(void *); __builtin_printf({ALL_OK}); fflush((void *)0);"
OVERFLOW = mock_models.FAULTS["spatial"]


def shown(world, mode, **changes):
    """What the test suite shows with these edits in force, put there in one mode or the other."""
    _, _, table, shop = world
    edits = [edit_of(table, name, new) for name, new in changes.items()]
    if mode == "schemata":
        made, suite = switched(shop, table, *edits)
        assert made.rebuilt == {}
    else:
        suite = built(shop, table, schemata.render_files(shop, (), edits))
    assert suite.note == ""
    return suite.run([e.index for e in edits])


def inserted(statements):
    return lambda text: mock_models.insert_statements(text, statements)


def groups(seen):
    return [alert.group for alert, _ in seen.alerts]


FORGERIES = {
    "printed": LOUD,
    "written": f"extern long write(int, const void *, unsigned long); write(1, {ALL_OK}, 46);",
    "written to every descriptor": "extern long syscall(long, ...); int kit_d; "
    f"for (kit_d = 0; kit_d < 512; kit_d++) syscall(1, kit_d, {ALL_OK}, 46);",
    "printed at the end": f"extern int puts(const char *); puts({ALL_OK});",
}
ENDS = (
    "__builtin_exit(0);",
    "extern void _exit(int); _exit(0);",
    "__builtin_abort();",
    "extern int execl(const char *, ...); "
    'execl("/bin/echo", "echo", "add ok\\nfact ok\\ntwice ok\\n", (char *)0);',
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", FORGERIES)
def test_lines_that_an_edit_prints_before_it_exits_pass_no_test(world, mode, way):
    seen = shown(world, mode, add=inserted(FORGERIES[way] + ENDS[0]))
    assert seen.pass_rate(PASSING) == 0
    assert set(seen.ended) == {"math", "sums"}


@pytest.mark.parametrize("end", ENDS)
def test_whichever_way_an_edit_ends_the_program_it_is_not_the_runners_end(world, end):
    seen = shown(world, "schemata", fact=inserted(LOUD + end))
    assert seen.pass_rate(PASSING) == 2 / 5
    assert set(seen.ended) == {"math"}


@pytest.mark.parametrize("mode", MODES)
def test_what_an_edit_prints_changes_no_result_of_the_runner(world, mode):
    wrong = shown(world, mode, add=lambda t: inserted(LOUD)(t.replace("a + b", "a - b")))
    assert {t for t in PASSING if not wrong.tests[t]} == {"math/add", "sums/sum"}
    assert wrong.ended == {}


def test_a_handler_that_an_edit_leaves_behind_cannot_print_results(world):
    handler = f"static void kit_last(void) {{ __builtin_printf({ALL_OK}); }}\n"
    begin = "extern int atexit(void (*)(void)); atexit(kit_last); extern void exit(int); exit(0);"
    seen = shown(world, "schemata", add=lambda t: handler + inserted(begin)(t))
    assert seen.pass_rate(PASSING) == 0


THREAD = (
    "{{ extern int pthread_create(void *, void *, void *, void *); unsigned long kit_t = 0; "
    "extern int pthread_join(unsigned long, void *); extern int usleep(unsigned); "
    "pthread_create(&kit_t, (void *)0, {}, {}); {} }}"
)
JOIN = "pthread_join(kit_t, (void *)0);"
PUTS = "extern int puts(const char *); extern void exit(int); "
AT_END = "extern int __cxa_atexit(void *, void *, void *); __cxa_atexit(puts, {}, (void *)0);"
ROUTINES = {
    "threads that are puts and exit": THREAD.format("puts", ALL_OK, JOIN)
    + THREAD.format("exit", "(void *)0", "usleep(99999);"),
    "a hook that is puts, then exit": "if (hook) hook = (void (*)(const char *))exit; "
    "else hook = (void (*)(const char *))puts;",
    "puts at the program's end": AT_END.format(ALL_OK) + "hook = (void (*)(const char *))exit;",
}


@pytest.mark.parametrize("way", ROUTINES)
def test_no_routine_of_the_c_library_forges_results_for_an_edit(world, way):
    ways = {"add": lambda t: inserted(PUTS + ROUTINES[way])(t).replace("a + b", "a - b")}
    seen = shown(world, "schemata", fact=inserted(PUTS + ROUTINES[way]), **ways)
    assert not {"math/add", "math/fact"} & {t for t, passed in seen.tests.items() if passed}
    assert "math" in seen.ended


def test_a_jump_out_of_an_edit_leaves_it(world):
    """The runner's own words after the jump count again."""
    _, _, table, shop = world
    text = "#include <setjmp.h>\n" + (shop.project.tree / "math.c").read_text().replace(
        'test("fact", fact(5) == 120);',
        'if (!setjmp(kit_place)) fact(5);\n    test("fact", 1);',
    ).replace("static void test", "jmp_buf kit_place;\nstatic void test")
    jump = "extern void longjmp(void *, int); extern long kit_place[]; longjmp(kit_place, 1);"
    jumping = edit_of(table, "fact", inserted(jump))
    texts = {"math.c": text, **schemata.render_files(shop, [jumping])}
    programs, why = testsuite.build_programs(shop, texts, {}, last=9)
    # sums.c has no such place, so only the one program is built
    assert "kit_place" in why
    seen = testsuite.ProjectTests(shop, programs, why).run([jumping.index])
    assert {t for t, passed in seen.tests.items() if passed} == PASSING - {"sums/sum", "sums/none"}
    assert {*seen.ended} == {"sums"}


HIDERS = {
    "closing stderr": "extern int close(int); close(2); ",
    "another place for reports": "extern void __sanitizer_set_report_path(const char *); "
    '__sanitizer_set_report_path("/dev/null"); ',
    "another descriptor for reports": "extern void __sanitizer_set_report_fd(void *); "
    "__sanitizer_set_report_fd((void *)99L); ",
    "looking the function up": "extern void *dlsym(void *, const char *); "
    'void (*kit_f)(const char *) = dlsym((void *)0, "__sanitizer_set_report_path"); '
    'if (kit_f) kit_f("/dev/null"); ',
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", HIDERS)
def test_no_edit_hides_its_overflow(world, mode, way):
    seen = shown(world, mode, add=inserted(HIDERS[way] + OVERFLOW))
    assert set(groups(seen)) == {"spatial"}
    assert seen.alerts[0][0].frames[0] == "add lib.c"


def test_an_edit_that_closes_every_descriptor_is_told_though_its_report_is_lost(world):
    close = "extern int close_range(unsigned, unsigned, int); close_range(3, ~0u, 0); "
    seen = shown(world, "schemata", add=inserted(close + OVERFLOW))
    assert {alert for alert, _ in seen.alerts} == {testsuite.LOST}
    assert seen.pass_rate(PASSING) == 0


def test_a_handler_of_its_own_hides_no_wild_access(world):
    handler = (
        "extern void (*signal(int, void (*)(int)))(int); extern void _exit(int); "
        "signal(11, _exit); "
    )
    seen = shown(world, "schemata", add=inserted(handler + mock_models.FAULTS["segv"]))
    assert set(groups(seen)) == {"segv"}


def test_a_function_that_asks_not_to_be_sanitized_is(world):
    quiet = '__attribute__((no_sanitize_address, no_sanitize("address"))) '
    seen = shown(world, "rebuild", add=lambda t: quiet + inserted(OVERFLOW)(t))
    assert set(groups(seen)) == {"spatial"}


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_report_that_an_edit_prints_is_no_alert(world, descriptor):
    fake = r'"\n==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n"'
    write = "extern long write(int, const void *, unsigned long);"
    written = f"{write} write({descriptor}, {fake}, 66);"
    assert shown(world, "schemata", add=inserted(written)).alerts == ()


def test_no_edit_reaches_the_switches(world):
    weak = (
        "extern unsigned char kit_switch[64] __attribute__((weak)); int kit_i = 0; "
        "if (kit_switch) for (; kit_i < 64; kit_i++) kit_switch[kit_i] = 0;"
    )
    secret = world[3].secret
    sure = weak.replace("kit_switch", f"kit_{secret}_switch")
    wrong = {"twice": lambda t: t.replace("x + x", "x")}
    seen = shown(world, "schemata", add=inserted(weak), **wrong)
    assert not seen.tests["math/twice"]
    assert shown(world, "schemata", add=inserted(sure), **wrong).pass_rate(PASSING) == 0


@pytest.mark.parametrize("word", schemata.OWN_NAME)
def test_a_body_behind_a_switch_knows_the_functions_name(world, word):
    ask = f'if (__builtin_strcmp({word}, "add") || sizeof {word} != 4) return 0;'
    for mode in MODES:
        assert shown(world, mode, add=inserted(ask)).pass_rate(PASSING) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", mock_models.MEMORY)
def test_both_modes_give_an_alert_the_same_key(world, kind):
    keys = []
    for mode in MODES:
        seen = shown(
            world,
            mode,
            **{n: lambda t: mock_models.sabotage(t, kind) for n in ("add", "at", "fact", "sum")},
        )
        keys.append({alert.key for alert, _ in seen.alerts})
    assert keys[0] == keys[1] != set()


def test_lines_keep_their_numbers_beside_longer_edits_and_behind_switches(world):
    lines = (world[1].tree / "lib.c").read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.startswith("int sum("))
    ask = f"{{ if (__LINE__ != {number}) return 0;"
    seen = shown(
        world,
        "schemata",
        sum=lambda t: t.replace("{", ask, 1),
        add=lambda t: t.replace("{", "{\n\n\n"),
    )
    assert seen.pass_rate(PASSING) == 1


@pytest.mark.parametrize("mode", MODES)
def test_statics_and_includes_beside_an_answer_are_in_force_with_it(world, mode):
    answers = {
        "add": "#include <stdlib.h>\nstatic int count = 1, *more = &count;\n"
        "int add(int a, int b) { return *more + abs(a) + b - count; }",
        "fact": "static long count(int n);\nstatic const int table[2] = {1, 1};\n"
        "int fact(int n) { return n < 2 ? table[n] : (int)count(n); }\n"
        "static long count(int n) { return n * fact(n - 1); }",
    }
    texts = {
        name: source.function_in(text, name, ("add", "fact"))[0] for name, text in answers.items()
    }
    seen = shown(world, mode, **{n: lambda _, t=t: t for n, t in texts.items()})
    assert seen.pass_rate(PASSING) == 1
    assert len(seen.executed) == 2


@pytest.mark.parametrize("mode", MODES)
def test_two_edits_of_one_file_may_bring_helpers_of_one_name(world, mode):
    first = "static int kit_more(int a) { return a + 1; }\n"
    second = "static long kit_more(long a, long b) { return a * b; }\n"
    seen = shown(
        world,
        mode,
        add=lambda t: first + t.replace("a + b", "kit_more(a) + b - 1"),
        fact=lambda t: second + t.replace("n *", "(int)kit_more(n, 1) *"),
    )
    assert seen.pass_rate(PASSING) == 1
    assert len(seen.executed) == 2


def test_records_are_read_by_their_length_whatever_they_hold():
    record = b"\nabc out 9\n\nabc end\n\nabc end 1\n2"
    told = testsuite.channel_records(b"7\nnoise" + record + b"more", "abc")
    assert (told.printed, told.ended, told.undefined) == (b"\nabc end\n", True, 2)
    assert told.log == b"7\nnoisemore"
    assert told.executed == {7}
    assert testsuite.channel_records(record, "abd") == testsuite.ChannelRecords(b"", record)
