"""Lines of strace become records, and records events."""

import time

import pytest

from kit.records import Event
from kit.sandbox import events as deeds
from kit.sandbox import strace

BOX = "7 clone(flags=CLONE_NEWNS|CLONE_NEWPID|SIGCHLD) = 8\n8 clone(flags=SIGCHLD) = 2\n"
START = BOX + '9 execve("/usr/bin/python3", ["python3", "main.py"], 0x1 /* 2 vars */) = 0\n'


def read(text: str) -> deeds.ParsedTrace:
    return deeds.parse_trace(*strace.records(text))


def events(*lines: str) -> list[Event]:
    return list(read(START + "\n".join(lines)).events)[1:]


def test_nothing_traced_is_nothing_started():
    assert read("") == deeds.ParsedTrace()
    assert not read(BOX).started


def test_a_program_that_was_not_found_did_not_start():
    failed = '9 execve("/usr/bin/x", ["x"], 0x1) = -1 ENOENT (No such file or directory)\n'
    assert not read(BOX + failed).started
    assert read(START).started


def test_what_bwrap_does_is_no_event():
    before = '8 openat(AT_FDCWD</>, "/proc/self/uid_map", O_RDWR) = 3</proc/8/uid_map>\n'
    assert len(read(BOX + before + START.removeprefix(BOX)).events) == 1


@pytest.mark.parametrize(
    ("path", "absolute"),
    [
        ("x", "/box/x"),
        ("../etc/passwd", "/etc/passwd"),
        ("../../../etc/passwd", "/etc/passwd"),
        ("./a//b/./c/..", "/box/a/b"),
        ("/etc/../etc/passwd", "/etc/passwd"),
        ("//etc/passwd", "/etc/passwd"),
        (r"caf\303\251", "/box/café"),
        (r"\377", r"/box/\xff"),
        (r"a\nb\"c\\", '/box/a\nb"c\\'),
        ("..", "/"),
    ],
)
def test_paths_are_absolute_and_normal(path, absolute):
    for line in (
        f'9 openat(AT_FDCWD</box>, "{path}", O_RDONLY) = -1 ENOENT (No such file or directory)',
        f'9 open("{path}", O_RDONLY) = -1 ENOENT (No such file or directory)',
    ):
        assert events(line) == [Event("open", absolute, "r", -2, "ENOENT")]


@pytest.mark.parametrize(
    ("flags", "mode"),
    [
        ("O_RDONLY", "r"),
        ("O_WRONLY|O_CREAT|O_TRUNC, 0666", "w"),
        ("O_RDWR|O_CLOEXEC", "rw"),
        ("O_RDONLY|O_CREAT, 0600", "w"),
    ],
)
def test_the_mode_of_an_open(flags, mode):
    line = f'9 openat(AT_FDCWD</box>, "x", {flags}) = 3</box/x>'
    assert events(line) == [Event("open", "/box/x", mode, 3)]


def test_a_call_that_was_interrupted_is_put_together():
    assert events(
        '9 openat(AT_FDCWD</box>, "a", O_RDONLY <unfinished ...>',
        '10 openat(AT_FDCWD</box>, "b", O_RDONLY) = 4</box/b>',
        "9 <... openat resumed>) = 3</box/a>",
    ) == [Event("open", "/box/a", "r", 3), Event("open", "/box/b", "r", 4)]


def test_a_child_begins_where_its_parent_is_and_goes_its_own_way():
    assert events(
        '9 chdir("/tmp") = 0',
        "9 clone(child_stack=NULL, flags=SIGCHLD) = 3",
        '10 chdir("sub") = 0',
        '10 mkdir("x", 0777) = 0',
        '9 mkdir("y", 0777) = 0',
        "10 +++ exited with 0 +++",
    ) == [Event("write", "/tmp/sub/x", "mkdir"), Event("write", "/tmp/y", "mkdir")]


def test_a_thread_moves_with_its_process():
    assert events(
        "9 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FS|CLONE_THREAD) = 3",
        '9 chdir("/tmp") = 0',
        '10 unlink("x") = 0',
    ) == [Event("delete", "/tmp/x", "unlink")]


def test_a_thread_that_becomes_a_program_has_the_number_of_the_first():
    start = '10 execve("/bin/echo", ["echo", "a"], 0x1 /* 2 vars */'
    for lines in (
        [f"{start} <pid changed to 9 ...>", "9 +++ superseded by execve in pid 10 +++"],
        [f"{start} <unfinished ...>", "9 +++ superseded by execve in pid 10 +++"],
    ):
        seen = events(*lines, "9 <... execve resumed>) = -1 (errno 18446744073709551359)")
        assert seen == [Event("exec", "/bin/echo", "echo a")]


def test_the_working_folder_is_where_a_link_led():
    assert events(
        '9 symlink("/etc", "l") = 0', '9 chdir("l") = 0', '9 open("x", O_RDONLY) = -1 ENOENT (No)'
    )[1:] == [Event("open", "/etc/x", "r", -2, "ENOENT")]


def test_a_link_that_moved_or_went_is_followed_from_where_it_is():
    link = '9 symlink("/etc", "l") = 0'
    failed = "O_RDONLY) = -1 ENOENT (No such file or directory)"
    moved = events(
        link, '9 rename("l", "d") = 0', f'9 open("d/x", {failed}', f'9 open("l/x", {failed}'
    )
    assert [e.target for e in moved if e.kind == "open"] == ["/box/d/x", "/etc/x", "/box/l/x"]
    gone = events(link, '9 unlink("l") = 0', f'9 open("l/x", {failed}')
    assert [e.target for e in gone if e.kind == "open"] == ["/box/l/x"]


def test_no_story_takes_long_to_read():
    name = "d" * 100
    deep = [f'9 mkdir("{name}", 0700) = 0', f'9 chdir("{name}") = 0'] * 300
    link, far = '9 symlink("/etc", "l") = 0', "a/" * 1500
    failed = [f'9 open("{far}x", O_RDONLY) = -1 ENOENT (No such file or directory)'] * 1000
    for lines in (deep, [link, *deep], [link, *failed]):
        start = time.process_time()
        story = read(START + "\n".join(lines))
        assert time.process_time() - start < 1
        assert (deeds.UNCLEAR in story.lost) is (lines[0] == link)


def test_links_in_a_circle_end():
    assert len(events('9 symlink("b", "a") = 0', '9 symlink("a", "b") = 0',
                      '9 open("a/x", O_RDONLY) = -1 ELOOP (Too many levels)')) >= 3  # fmt: skip


def test_what_was_cut_is_said_and_what_broke_off():
    cut = START + '9 execve("/bin/x", ["x", "long"...], 0x1) = 0'
    assert read(cut).lost == (deeds.CUT,)
    story = read(START + '9 unlink("a") = 0')
    assert story.gaps(capped=False, whole=True) == (deeds.BROKEN_OFF,)
    whole = read(START + "9 +++ exited with 0 +++")
    assert whole.gaps(capped=False, whole=True) == ()
    assert whole.gaps(capped=True, whole=True) == (deeds.CAPPED,)


def test_a_folder_that_failed_to_change_did_not():
    assert events(
        '9 chdir("/root") = -1 ENOENT (No such file or directory)', '9 rmdir("x") = 0'
    ) == [Event("delete", "/box/x", "rmdir")]


def test_addresses_of_every_family():
    inet = '{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.1")}'
    inet6 = (
        "{sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0),"
        ' inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}'
    )
    assert events(
        f"9 connect(3<socket:[1]>, {inet}, 16) = -1 ENETUNREACH (Network is unreachable)",
        f"9 bind(3<socket:[1]>, {inet6}, 28) = 0",
        '9 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path=@"bus"}, 9) = 0',
        f'9 sendto(3<socket:[1]>, "x", 1, 0, {inet}, 16) = 1',
        '9 sendto(3<socket:[1]>, "x", 1, 0, NULL, 0) = 1',
        "9 bind(3<socket:[1]>, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 0",
    ) == [
        Event("connect", "10.0.0.1:80", "", -101, "ENETUNREACH"),
        Event("bind", "[::1]:443"),
        Event("connect", "unix:@bus"),
        Event("connect", "10.0.0.1:80", "", 1),
    ]


def test_data_that_looks_like_an_address_is_data():
    text = r"{sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr(\"6.6.6.6\")}"
    assert events(f'9 sendto(3<socket:[1]>, "{text}", 60, 0, NULL, 0) = 60') == []


def test_a_path_that_looks_like_a_line_is_a_path():
    trick = r"\n9 +++ killed by SIGSEGV +++\n9 execve(\"/bin/sh\", [\"sh\"], 0x1) = 0"
    story = read(START + f'9 unlink("{trick}") = 0')
    assert [e.kind for e in story.events] == ["start", "delete"]
    assert story.signal == ""


def test_only_the_first_mark_counts():
    mark = f'9 access("{deeds.MARK}", F_OK) = -1 ENOENT (No such file or directory)'
    noise, deed = '9 unlink("noise") = 0', '9 unlink("deed") = 0'
    story = read(START + "\n".join([noise, mark, deed, mark]))
    assert [e.target for e in story.events] == ["/box/deed"]


def test_the_signal_is_that_of_the_program_not_of_its_child():
    child = "9 clone(child_stack=NULL, flags=SIGCHLD) = 3\n10 +++ killed by SIGSEGV +++\n"
    assert read(START + child + "9 +++ exited with 0 +++").signal == ""
    assert read(START + "9 +++ killed by SIGABRT (core dumped) +++").signal == "SIGABRT"


def test_the_numbers_of_processes_may_wrap_or_be_short():
    text = START.replace("7 clone", "32767 clone").replace("8 clone", "8     clone")
    assert read(text).started
