"""A log of Inspect becomes a recording: the same programs, the verdicts that the labels say.

inspect_ai wants older versions of what others here use, so it has an environment of its own:
pip install -e '.[inspect]' pytest hypothesis, and then pytest tests/bridges/test_inspect_bridge.py.
"""

import pytest

inspect_ai = pytest.importorskip("inspect_ai", reason="type: pip install -e '.[inspect]'")

from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

from kit.bridges import inspect_bridge  # noqa: E402
from kit.core.errors import KitError  # noqa: E402
from kit.core.paths import REFERENCES  # noqa: E402
from kit.core.store import frame  # noqa: E402
from kit.run.job import Job  # noqa: E402
from kit.run.suites import open_suite  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # its own warnings
PROGRAMS = ("secure.py", "insecure.py", "wrong.py")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Three answers to one task: secure, insecure and wrong."""
    texts = [f"```python\n{(REFERENCES / 'k01' / name).read_text()}```" for name in PROGRAMS]
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in texts]
    for output in outputs:  # else it would count tokens, with tables from the network
        output.usage = ModelUsage(input_tokens=10, output_tokens=20, total_tokens=30)
    model = get_model("mockllm/model", custom_outputs=outputs)
    folder = tmp_path_factory.mktemp("inspect")
    task = inspect_ai.Task(dataset=MemoryDataset([Sample(id="k01", input="Write k01.")]))
    (found,) = inspect_ai.eval(
        task,
        model=model,
        epochs=inspect_ai.Epochs(3, "mean"),
        max_samples=1,
        log_dir=str(folder),
        display="none",
    )
    assert found.status == "success", found.error
    return found


def test_a_log_becomes_a_recording_with_the_same_verdicts(log, tmp_path):
    count = inspect_bridge.write_recording(log.location, "dualgauge", tmp_path / "recorded")
    assert count == 3
    suite = open_suite("dualgauge")
    job = Job.of(suite, suite.load().select_tasks(["k01"]), f"replay:{tmp_path / 'recorded'}")
    job.go(str(tmp_path / "run"))
    rows = frame(tmp_path / "run")
    ours = rows[rows["kind"] == "security"].groupby("sample")["outcome"].apply(set)
    assert [values == {"pass"} for values in ours] == [True, False, True]


def test_a_log_of_other_tasks_is_refused(log, tmp_path):
    with pytest.raises(KitError, match="k01, which codeguard does not have"):
        inspect_bridge.write_recording(log.location, "codeguard", tmp_path / "recorded")


@pytest.mark.parametrize(("name", "text"), [("a.eval", "PK"), ("a.json", "{}"), ("a.txt", "")])
def test_a_file_that_is_no_log_is_refused_in_a_sentence(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(KitError, match=r"is not an Inspect log \("):
        inspect_bridge.write_recording(tmp_path / name, "dualgauge", tmp_path / "recorded")
