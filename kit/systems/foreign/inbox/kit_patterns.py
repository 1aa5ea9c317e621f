"""In a box: regular expressions over the texts of programs. The texts are only looked at.

Each text has a child of its own, so that an expression which never ends costs that text alone.
"""

import os
import re
import signal

from kit_channel import Channel, take_job

COMMENT = ("#", "//", "/*", "*")


def main() -> None:
    channel, job = Channel(os.environ.pop("KIT_CHANNEL")), take_job()
    rules = [re.compile(rule) for rule in job["rules"]]
    for key, text in job["programs"].items():
        if (pid := os.fork()) == 0:
            signal.alarm(job["patience_s"])
            channel.write({"program": key, "found": found(rules, text)})
            os._exit(0)
        os.waitpid(pid, 0)


def found(rules: list[re.Pattern[str]], text: str) -> list[tuple[int, int]]:
    """For each rule that matches, its number and the line of its first match in no comment."""
    out = []
    for number, rule in enumerate(rules):
        for match in rule.finditer(text):
            before = text[: match.start()].split("\n")
            if not before[-1].strip().startswith(COMMENT):
                out.append((number, len(before)))
                break
    return out


if __name__ == "__main__":
    main()
