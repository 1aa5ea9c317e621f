"""The filter says what it should, in numbers that are the kernel's."""

import json
import re
import struct
from pathlib import Path

import pytest

from kit.core.paths import ROOT
from kit.sandbox import syscalls

HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
ALLOW, DONE, EPERM, ENOSYS = 0x7FFF0000, 0x50000, 0x50001, 0x50026
EINVAL, EPROTONOSUPPORT, EAFNOSUPPORT = 0x50016, 0x5005D, 0x50061


def verdict(number: int, *args: int, arch: int = syscalls.ARCH_X86_64, notify: bool = False) -> int:
    """Run the program as the kernel would."""
    data = struct.pack("=IIQ6Q", number, arch, 0, *(*args, *[0] * (6 - len(args))))
    code = list(struct.iter_unpack("=HBBI", syscalls.filter_program(notify=notify)))
    at = value = 0
    while True:
        op, yes, no, k = code[at]
        at += 1
        if op == syscalls.RET:
            return k
        if op == syscalls.LD:
            (value,) = struct.unpack_from("=I", data, k)
        elif op == syscalls.AND:
            value &= k
        else:
            true = {
                syscalls.JEQ: value == k,
                syscalls.JGE: value >= k,
                syscalls.JSET: value & k != 0,
            }[op]
            at += yes if true else no


@pytest.mark.skipif(
    not HEADER.exists(), reason="no kernel headers; type: apt-get install libc6-dev"
)
def test_the_numbers_are_the_kernels():
    kernel = dict(re.findall(r"#define __NR_(\w+) (\d+)", HEADER.read_text()))
    ours = {call.name: call.number for call in syscalls.TABLE}
    ours |= {"ioctl": syscalls.IOCTL, "socket": syscalls.SOCKET, "prctl": syscalls.PRCTL}
    ours |= syscalls.LANDLOCK
    assert len(set(ours.values())) == len(ours) == len(syscalls.TABLE) + 6
    assert {n: int(kernel[n]) for n in ours} == ours


def test_other_machines_and_x32_have_no_calls():
    assert verdict(0, arch=0x40000003) == ENOSYS
    assert verdict(0x40000000 | 1) == ENOSYS
    assert verdict(syscalls.CLONE3) == ENOSYS


def test_threads_pass_and_namespaces_do_not():
    assert verdict(syscalls.CLONE, 0x3D0F00) == ALLOW
    for bit in (1 << n for n in (17, 23, 25, 26, 27, 28, 29, 30)):
        assert verdict(syscalls.CLONE, bit | 17) == EPERM


def test_only_local_and_internet_sockets_open():
    passed = {f for f in range(64) if verdict(syscalls.SOCKET, f, 1, 0) == ALLOW}
    assert passed == {1, 2, 10, 16}
    assert verdict(syscalls.SOCKET, 40, 1, 0) == EAFNOSUPPORT
    assert verdict(syscalls.SOCKET, 16, 3, 9) == EAFNOSUPPORT
    for family in (2, 10):
        types = {t for t in range(16) if verdict(syscalls.SOCKET, family, t | 0x80800) == ALLOW}
        assert types == {0, 1, 2, 3}  # no SEQPACKET, which would be SCTP's
        known = {p for p in range(300) if verdict(syscalls.SOCKET, family, 1, p) == ALLOW}
        assert known == {0, 1, 6, 17, 58, 262}
        assert verdict(syscalls.SOCKET, family, 1, 132) == EPROTONOSUPPORT
    assert verdict(syscalls.SOCKET, 1, 5, 0) == ALLOW


def test_a_file_is_not_leased_and_nothing_newer_is_asked_of_one():
    refused = {c for c in range(1100) if verdict(syscalls.FCNTL, 3, c) == EINVAL}
    assert refused == {1024, *range(1040, 1100)}
    assert verdict(syscalls.FCNTL, 3, 1030) == ALLOW


def test_the_page_says_of_every_call_what_the_filter_does():
    page = (ROOT / "kit" / "docs" / "sandbox.md").read_text()
    table = page.partition("| call | number |")[2].partition("\n\n")[0]
    rows = [r.strip("| ").split(" | ") for r in table.splitlines()[2:]]
    plain = {int(r[1]): r[2:] for r in rows if r[1].isdecimal() and "(" not in r[0]}
    results = {ALLOW: "allowed", EPERM: "denied", ENOSYS: "denied (ENOSYS)"}
    results[DONE] = "answered 0, changes nothing"
    ways = results | {syscalls.NOTIFY: "asked"}
    for number in {*range(syscalls.LAST + 1)} - {int(r[1]) for r in rows if "(" in r[0]}:
        without, watched = plain.get(number, ["allowed", "allowed"])
        assert without == results[verdict(number)], number
        asked = verdict(number, 0, 0, 0, 0, 1, notify=True)
        assert watched.replace("denied and told", "asked").startswith(ways[asked]), number


def test_calls_without_a_name_are_those_of_an_older_kernel():
    assert {verdict(n) for n in range(syscalls.LAST + 1, syscalls.LAST + 200)} == {ENOSYS}
    assert verdict(syscalls.LAST) == ALLOW


def test_a_terminal_cannot_be_typed_into_whatever_the_high_bits():
    for request in (*syscalls.IOCTLS, 0x1_0000_5412):
        assert verdict(syscalls.IOCTL, 0, request) == EPERM
    assert verdict(syscalls.IOCTL, 0, 0x5401) == ALLOW


def test_the_profile_for_docker_denies_the_same():
    rules = json.loads(syscalls.container_profile())["syscalls"]
    assert set(rules[0]["names"]) == set(syscalls.REFUSED)
    flags = {arg["value"] for r in rules if r["names"] == ["clone"] for arg in r["args"]}
    assert sum(flags) == syscalls.FORBIDDEN
    assert len(flags) == 8
