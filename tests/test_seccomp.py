"""The filter says what it should, in numbers that are the kernel's."""

import json
import re
import struct
from pathlib import Path

import pytest

from kit.sandbox import seccomp

HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
ALLOW, EPERM, ENOSYS, EAFNOSUPPORT = 0x7FFF0000, 0x50001, 0x50026, 0x50061


def verdict(number: int, *args: int, arch: int = seccomp.ARCH_X86_64) -> int:
    """Run the program as the kernel would."""
    data = struct.pack("=IIQ6Q", number, arch, 0, *(*args, *[0] * (6 - len(args))))
    code = list(struct.iter_unpack("=HBBI", seccomp.program()))
    at = value = 0
    while True:
        op, yes, no, k = code[at]
        at += 1
        if op == seccomp.RET:
            return k
        if op == seccomp.LD:
            (value,) = struct.unpack_from("=I", data, k)
        else:
            true = {
                seccomp.JEQ: value == k,
                seccomp.JGE: value >= k,
                seccomp.JSET: value & k != 0,
            }[op]
            at += yes if true else no


@pytest.mark.skipif(
    not HEADER.exists(), reason="no kernel headers; type: apt-get install libc6-dev"
)
def test_the_numbers_are_the_kernels():
    kernel = dict(re.findall(r"#define __NR_(\w+) (\d+)", HEADER.read_text()))
    ours = {**seccomp.DENIED, "clone": 56, "clone3": 435, "ioctl": 16, "socket": 41}
    assert {n: int(kernel[n]) for n in ours if n in kernel} == {
        n: ours[n] for n in ours if n in kernel
    }
    assert len(set(ours) & set(kernel)) > 60


def test_every_denied_call_is_refused_and_a_plain_one_passes():
    assert {verdict(n) for n in seccomp.DENIED.values()} == {EPERM}
    assert {verdict(n) for n in (0, 1, 2, 9, 56, 57, 59, 231, 257)} == {ALLOW}


def test_other_machines_and_x32_have_no_calls():
    assert verdict(0, arch=0x40000003) == ENOSYS
    assert verdict(seccomp.X32_BIT | 1) == ENOSYS
    assert verdict(seccomp.CLONE3) == ENOSYS


def test_threads_pass_and_namespaces_do_not():
    assert verdict(seccomp.CLONE, 0x3D0F00) == ALLOW
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(seccomp.CLONE, bit | 17) == EPERM


def test_only_local_and_internet_sockets_open():
    passed = {f for f in range(64) if verdict(seccomp.SOCKET, f, 1, 0) == ALLOW}
    assert passed == {1, 2, 10, 16}
    assert verdict(seccomp.SOCKET, 40, 1, 0) == EAFNOSUPPORT
    assert verdict(seccomp.SOCKET, 16, 3, 9) == EAFNOSUPPORT
    assert verdict(seccomp.SOCKET, 2, 1, 6) == ALLOW


def test_a_terminal_cannot_be_typed_into_whatever_the_high_bits():
    for request in (0x5412, 0x541C, 0x1_0000_5412):
        assert verdict(seccomp.IOCTL, 0, request) == EPERM
    assert verdict(seccomp.IOCTL, 0, 0x5401) == ALLOW


def test_the_profile_for_docker_denies_the_same_but_for_its_tracer():
    rules = json.loads(seccomp.profile(tracer=False))["syscalls"]
    assert set(rules[0]["names"]) == set(seccomp.DENIED)
    traced = json.loads(seccomp.profile(tracer=True))["syscalls"]
    assert set(rules[0]["names"]) - set(traced[0]["names"]) == {"ptrace", "process_vm_readv"}
    flags = {arg["value"] for r in rules if r["names"] == ["clone"] for arg in r["args"]}
    assert sum(flags) == seccomp.NEW_NAMESPACES
    assert len(flags) == 7
