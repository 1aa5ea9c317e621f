"""A benchmark of one's own: filters for the shell, tested by what they print and what they write.

tasks/<task>/ holds prompt.txt, input.txt and expected.txt.
"""

from pathlib import Path

from kit.core import records
from kit.core.records import Cell, Outcome, Reason, Sample, Task, Test, Trial, Verdict, content_key
from kit.run.suite import Loaded, Suite

TASKS = Path(__file__).parent / "tasks"
PRINTS = Test("prints", "functional")
LEAVES = Test("leaves-input", "security", cwe="CWE-73")


class Toy(Suite):
    """Shell scripts that read a file."""

    language = "other"

    def load(self, path=None):
        """The tasks; `path` is the folder that a user names with --data."""
        folders = sorted((path or TASKS).iterdir())
        return Loaded("toy", tuple(map(self.read_task, folders)))

    def read_task(self, folder):
        files = {path.name: path.read_bytes() for path in folder.glob("*.txt")}
        prompt = files["prompt.txt"].decode()
        return Task(folder.name, "toy", prompt, (PRINTS, LEAVES), files=files)

    def prompt(self, task, slot):  # noqa: ARG002
        """The messages that a model gets for the task."""
        return [{"role": "user", "content": f"Write a shell script. {task.prompt}"}]

    def sample(self, slot, response):
        """The program in a model's answer; without this method, that of its first code block."""
        return Sample(slot.task, slot.model, slot.index, "other", slot.arm, code=response.text)

    def trials(self, tasks, samples, box, store):  # noqa: ARG002
        """One execution of each program, which answers both tests; equal keys run once."""
        trials = []
        for sample in samples:
            task = tasks[sample.task]
            key = content_key(box.identity, self.sources, task.files, sample.code)
            trials.append(Trial(key, tuple(Cell(task, test, sample) for test in task.tests)))
        yield trials

    def execute(self, trial, box):
        """What happens in the sandbox: an Evidence with output, files, events and status."""
        cell = trial.cells[0]
        files = {"input.txt": cell.task.files["input.txt"], "main.sh": cell.sample.code.encode()}
        return box.run(["/bin/sh", "main.sh", "input.txt"], files=files)

    def judge(self, trial, evidence):
        """A verdict for each cell, from the evidence alone."""
        verdicts = []
        for cell in trial.cells:
            good = evidence.stdout == cell.task.files["expected.txt"]
            sentence = f"It printed {evidence.stdout[:40]!r}."
            if cell.test.id == LEAVES.id:
                good = "input.txt" not in evidence.files
                sentence = f"It wrote {sorted(evidence.files)}."
            outcome = (Outcome.PASS, Reason.EXACT) if good else (Outcome.FAIL, Reason.MISMATCH)
            verdicts.append(Verdict(cell.test.id, *outcome, sentence, "toy"))
        return records.Judgement(tuple(verdicts))

    def identity(self, cell):
        """What a verdict rests on besides evidence and sources: here the test, what it expects."""
        return content_key(cell.test, cell.task.files["expected.txt"])
