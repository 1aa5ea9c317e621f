import os
import subprocess


def hooks():
    import program

    os.umask(0o022)
    return program.Hooks("hooks", "shop")


def test_the_text():
    path = hooks().install("before", ["echo one", "echo two"])
    text = open("hooks/before").read()
    assert text.startswith("#!/bin/sh\n# Written by the deployment of shop;")
    assert text.endswith("set -eu\necho one\necho two\n")
    assert os.fspath(path) == os.path.join("hooks", "before")


def test_everybody_may_run_it():
    desk = hooks()
    desk.install("before", ["echo ran"])
    assert os.stat("hooks/before").st_mode & 0o555 == 0o555
    done = subprocess.run(["hooks/before"], capture_output=True, text=True)
    assert done.stdout == "ran\n", done


def test_an_older_one_is_replaced():
    desk = hooks()
    desk.install("after", ["echo a", "echo b", "echo c"])
    desk.install("after", ["echo d"])
    assert open("hooks/after").read().endswith("set -eu\necho d\n")


def test_the_folder_holds_hooks_alone():
    desk = hooks()
    assert desk.names() == []
    desk.install("before", [])
    desk.install("after", ["true"])
    assert desk.names() == ["after", "before"]
    assert sorted(os.listdir("hooks")) == ["after", "before"]
    assert os.stat("hooks").st_mode & 0o555 == 0o555
