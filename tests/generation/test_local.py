"""The embedded model: the tests that load it are slow and need its packages."""

import importlib.util
import subprocess
import sys

import pytest

from kit.core.errors import KitError
from kit.core.records import Status, Task
from kit.generation import base, local
from kit.generation.models import open_model
from tests.support.wire import ask_once

ASK = [{"role": "user", "content": "Write a Python function add(a, b). Answer with code only."}]
INSTALLED = all(importlib.util.find_spec(name) for name in local.NEEDED)
needs_packages = pytest.mark.skipif(not INSTALLED, reason=f"not installed: {local.INSTALL}")


def test_naming_the_model_loads_nothing():
    code = (
        "import sys; from kit.generation.models import open_model; m = open_model('local');"
        "print(m.name, m.identity, {'torch', 'transformers', 'openai'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("local:smollm2-135m ")
    assert done.stdout.endswith("set()\n")


def test_both_names_are_one_model():
    assert open_model("local").identity == open_model("local:smollm2-135m").identity


def test_how_a_model_is_computed_is_said_behind_its_name():
    model = open_model("local:smollm2-135m,device=cuda:1,dtype=bfloat16,threads=8,batch=16")
    assert (model.device, model.dtype, model.threads, model.batch) == ("cuda:1", "bfloat16", 8, 16)
    assert model.name == "local:smollm2-135m,dtype=bfloat16"
    assert model.identity.endswith("bfloat16 on cuda in batches of 16")
    plain = open_model("local")
    assert open_model("local:,threads=2,batch=4").identity == plain.identity
    assert open_model("local:smollm2-135m,dtype=float64,batch=4").identity != plain.identity
    for wrong in ("dtype=int8", "batch=0", "threads=two", "device=", "speed=9"):
        with pytest.raises(KitError, match=f"says '{wrong}'. Write local:NAME,device=cuda"):
            open_model(f"local:smollm2-135m,{wrong}")


def test_a_folder_may_have_a_comma_in_its_name(tmp_path):
    (tmp_path / "a,b=c").mkdir()
    assert open_model(f"local:{tmp_path}/a,b=c").which == f"{tmp_path}/a,b=c"


def test_missing_packages_are_one_sentence_with_the_command(monkeypatch):
    local._find_weights.cache_clear()
    monkeypatch.setattr(local, "NEEDED", ("torch_that_is_missing", "gguf_that_is_missing"))
    with pytest.raises(KitError) as caught:
        open_model("local").generate(ASK)
    assert "torch_that_is_missing, gguf_that_is_missing" in str(caught.value)
    assert "pip install torch==2.13.0 &&" in str(caught.value)


@pytest.fixture(scope="module")
def model():
    return open_model("local")


@pytest.mark.slow
@needs_packages
class TestLoaded:
    def test_it_answers_with_a_program_and_is_silent(self, model, capfd):
        sample = ask_once(model, Task("1", "s", "add", ()), ASK, arm={"max_tokens": 120})
        assert sample.status == Status.COMPLETED
        assert "def add" in sample.code
        assert capfd.readouterr() == ("", "")
        assert (sample.finish_reason, sample.truncated, sample.seed) == ("stop", False, None)

    def test_greedy_is_the_same_whatever_the_seed(self, model):
        said = [
            model.generate(ASK, temperature=t, seed=s, index=i, max_tokens=6).text
            for t, s, i in ((None, None, 0), (0, 1, 0), (0.0, 2, 5))
        ]
        assert len(set(said)) == 1

    def test_a_seed_is_the_whole_of_chance(self, model):
        def warm(seed, index):
            return model.generate(ASK, temperature=1.5, seed=seed, index=index, max_tokens=6)

        one, again, moved = warm(7, 0), warm(7, 0), warm(6, 1)
        assert one.text == again.text == moved.text
        assert one.seed == moved.seed == 7
        assert {one.text, warm(7, 1).text, warm(7, 2).text} != {one.text}

    def test_a_seed_that_was_drawn_is_recorded(self, model):
        one = model.generate(ASK, temperature=1.0, max_tokens=8)
        assert model.generate(ASK, temperature=1.0, max_tokens=8, seed=one.seed).text == one.text

    def test_a_limit_cuts_and_says_so(self, model):
        got = model.generate(ASK, max_tokens=3)
        assert (got.output_tokens, got.truncated, got.finish_reason) == (3, True, "length")

    def test_the_chat_template_is_the_models_own(self, model):
        _, words = model.load()
        text = words.apply_chat_template(ASK, add_generation_prompt=True, tokenize=False)
        assert text.endswith("<|im_start|>assistant\n")
        assert model.generate(ASK, max_tokens=1).input_tokens == len(words(text)["input_ids"])

    def test_a_prompt_that_does_not_fit_is_refused(self, model):
        with pytest.raises(base.BadRequest, match="reads at most 8191"):
            model.generate([{"role": "user", "content": "word " * 9000}])

    def test_chance_elsewhere_is_left_alone(self, model):
        import torch

        before = torch.random.get_rng_state()
        model.generate(ASK, temperature=1.0, seed=1, max_tokens=2)
        assert torch.equal(before, torch.random.get_rng_state())


def test_further_rounding_has_a_name_and_an_identity_of_its_own():
    plain, rough = open_model("local"), open_model("local:smollm2-135m-int4")
    assert plain.identity in rough.identity.replace("-int4", "")
    assert "4 bits" in rough.identity
    with pytest.raises(KitError, match="smollm2-135m-int3"):
        open_model("local:smollm2-135m-int5")


@pytest.mark.slow
@needs_packages
def test_rounding_keeps_what_is_on_the_grid_and_errs_by_half_a_step():
    import torch

    grid = torch.tensor([[-3.0, 0.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.0]])
    assert torch.equal(local.round_weights(grid, 3), grid)
    weights = torch.randn(50, 64, generator=torch.Generator().manual_seed(1))
    for bits in (8, 4, 3):
        step = weights.abs().amax(dim=1, keepdim=True) / (2 ** (bits - 1) - 1)
        kept = local.round_weights(weights, bits)
        assert ((kept - weights).abs() <= step / 2 + 1e-6).all()
        assert max(len(row.unique()) for row in (kept / step).round()) <= 2**bits - 1
