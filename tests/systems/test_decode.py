"""Decoding methods: laws on tiny random models."""

import copy
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from kit.core.errors import KitError
from kit.core.store import Store
from kit.generation import local
from kit.generation.base import BadRequest, NextQuestion
from kit.run.job import Job
from kit.systems.codeguard.decode.model import METHODS, DecodingModel, _output_cache
from kit.systems.codeguard.decode.request import (
    Completion,
    Constraints,
    DecodingSettings,
    Progress,
    Request,
    advance_phrase_state,
    read_vocabulary,
)
from kit.systems.codeguard.suite import CompletionSuite
from tests.support.tiny_models import CORPUS, save_tiny, tiny, train_words

torch = pytest.importorskip("torch", reason=local.INSTALL)
transformers = pytest.importorskip("transformers", reason=local.INSTALL)
sampling = pytest.importorskip("kit.systems.codeguard.decode.sampling")
mucola = pytest.importorskip("kit.systems.codeguard.decode.mucola")
PROMPT = "def f(x):\n"
SMALL = DecodingSettings(max_new_tokens=10, beams=4, iterations=8)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """A tiny model gains nothing from a second thread, and waits for it on a busy machine."""
    with local.use_threads(1):
        yield


@pytest.fixture(scope="module")
def words():
    return train_words()


@pytest.fixture(scope="module", params=["gpt2", "llama", "codegen"])
def model(request, words):
    return tiny(request.param, len(words))


@pytest.fixture(scope="module")
def prompt(words):
    return words.encode(PROMPT, add_special_tokens=False)


@pytest.fixture(scope="module")
def ask(model, words, prompt):
    """A request of the tiny model, of its n, settings, seed and constraints."""
    return partial(Request, model, words, prompt)


def beam_sampling_slowly(model, words, prompt, settings, seed):
    """Token by token from the definition: no cache, every beam's whole text is read each time."""
    draws = torch.Generator().manual_seed(seed)
    beams, done = [((), 0.0)], []
    while len(done) < settings.beams and beams and len(beams[0][0]) < settings.max_new_tokens:
        rows = []
        for tokens, score in beams:
            with torch.no_grad():
                logits = model(torch.tensor([[*prompt, *tokens]])).logits[0, -1]
            rows.append(score + logits.log_softmax(-1))
        totals = torch.stack(rows)
        noise = torch.empty(totals.shape).exponential_(generator=draws).log()
        places = (totals - noise).flatten().topk(2 * settings.beams).indices.tolist()
        width = totals.shape[1]
        drawn = [(beams[p // width][0] + (p % width,), float(totals.flatten()[p])) for p in places]
        drawn.sort(key=lambda beam: -beam[1])
        done += [b for b in drawn[: settings.beams] if b[0][-1] == words.eos_token_id]
        going = [b for b in drawn if b[0][-1] != words.eos_token_id]
        beams = going[: settings.beams]
    every = done + (beams if len(done) < settings.beams else [])
    return sorted(every, key=lambda b: -b[1] / len(b[0]))[: settings.beams]


class TestConstraints:
    def test_a_positive_phrase_must_be_there_and_a_negative_must_not(self):
        asked = Constraints(("escape(",), (" + name",))
        assert asked.are_met("x = escape(name)")
        assert not asked.are_met("x = name")
        assert not asked.are_met("x = escape(a) + name")

    def test_a_negative_phrase_may_not_begin_in_the_prompt(self):
        asked = Constraints((), ("send_file",))
        assert not asked.are_met("file(x)", prompt="return send_")
        assert asked.are_met("file(x)", prompt="send_file(x) ")

    @pytest.mark.parametrize(
        ("noun", "wrong", "mend"),
        [
            *(
                (Constraints, {"positive": p}, "Give a tuple of phrases")
                for p in ("abc", ("",), (1,))
            ),
            (
                Constraints,
                {"positive": ("a.path",), "negative": ("path",)},
                "nothing can meet both",
            ),
            *(
                (DecodingSettings, s, "Use numbers above 0")
                for s in ({"beams": 0}, {"top_p": 1.5}, {"temperature": 0.0})
            ),
        ],
    )
    def test_what_is_no_phrase_or_outside_its_range_is_refused(self, noun, wrong, mend):
        with pytest.raises(KitError, match=mend):
            noun(**wrong)


class TestPhrases:
    def test_the_state_is_the_longest_beginning_at_the_end_of_the_text(self):
        phrase, text = b"ababc", b"xababababcab"
        state = 0
        for end in range(1, len(text) + 1):
            state = advance_phrase_state(phrase, state, text[end - 1 : end])
            seen = phrase in text[:end]
            fits = [n for n in range(len(phrase)) if text[:end].endswith(phrase[:n])]
            assert state == (len(phrase) if seen else max(fits))

    def test_pieces_spell_the_text_that_the_tokenizer_decodes(self, words):
        ids = words.encode("".join(CORPUS), add_special_tokens=False)
        assert read_vocabulary(words).text(ids) == "".join(CORPUS) == words.decode(ids)

    def test_exactly_the_completing_tokens_are_blocked(self, words):
        known = read_vocabulary(words)
        for begun in ("", "spri", "x sprint", "spsp"):
            progress = Progress(Constraints((), ("sprintf",)), known, before=begun)
            blocked = set(progress.find_blocked_tokens(progress.start)[0].tolist())
            tail = begun[-6:]
            assert blocked == {
                i for i, p in enumerate(known.pieces) if "sprintf" in tail + p.decode("latin1")
            }

    def test_forced_tokens_lead_to_the_phrase(self, words):
        asked = Constraints(("['ls', dirname]", "escape(username)"))
        progress, tokens = Progress(asked, read_vocabulary(words)), []
        states = progress.start
        while progress.left(states):
            tokens.append(progress.find_forced_tokens(states)[0])
            states = progress.after(states, tokens[-1])
        assert asked.are_met(read_vocabulary(words).text(tokens))
        assert progress.find_forced_tokens(states) == ()

    def test_tokens_that_spell_nothing_are_refused(self, words):
        class Odd:
            all_special_ids = ()
            get_added_vocab = dict
            encode = words.encode

            def __len__(self):
                return len(words)

            def convert_ids_to_tokens(self, ids):
                return ["##x" for _ in ids]

        with pytest.raises(KitError, match="do not spell their text"):
            read_vocabulary(Odd())


class TestNucleus:
    def test_the_nucleus_is_the_smallest_set_that_reaches_p(self):
        probs = torch.tensor([[0.5, 0.25, 0.15, 0.10], [0.1, 0.6, 0.2, 0.1]])
        kept = sampling.truncate_to_nucleus(probs.log(), 0.7)
        assert (kept > 0).tolist() == [[True, True, False, False], [False, True, True, False]]
        assert torch.allclose(kept.sum(-1), torch.ones(2))
        assert torch.allclose(kept[0, :2], torch.tensor([2 / 3, 1 / 3]))

    def test_a_tiny_p_is_greedy_and_equals_transformers(self, ask, model, words, prompt):
        made = sampling.write_alone(
            "nucleus", ask(n=3, settings=DecodingSettings(max_new_tokens=12, top_p=1e-6), seed=5)
        )
        out = model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt)),
            do_sample=False,
            max_new_tokens=12,
            pad_token_id=0,
        )
        told = [t for t in out[0, len(prompt) :].tolist() if t != words.eos_token_id]
        assert {c.tokens for c in made} == {tuple(told)}

    def test_a_row_is_the_same_alone(self, ask):
        together = sampling.write_alone("nucleus", ask(n=3, settings=SMALL, seed=20))
        alone = [
            sampling.write_alone("nucleus", ask(n=1, settings=SMALL, seed=20 + i))[0]
            for i in range(3)
        ]
        assert [c.tokens for c in together] == [c.tokens for c in alone]
        assert len({c.tokens for c in together}) > 1

    @pytest.mark.parametrize(("how", "phrases"), [("nucleus", ()), ("constrained", ("escape(",))])
    def test_the_log_probability_is_the_models_forced_tokens_included(
        self, ask, model, prompt, how, phrases
    ):
        for made in sampling.write_alone(how, ask(4, SMALL, 2, Constraints(phrases))):
            assert made.log_probability == _log_probability(model, prompt, made)


class TestStop:
    @pytest.mark.parametrize("how", ["nucleus", "beam", "constrained"])
    def test_a_text_ends_where_its_function_does(self, ask, how):
        settings = DecodingSettings(max_new_tokens=30, beams=4, stop="(?<=e)|r")
        made = sampling.write_alone(how, ask(4, settings, 1, Constraints(("import",))))
        assert any(c.finished for c in made)
        for one in made:
            assert one.text.rstrip("e").find("e") == one.text.find("r") == -1
            assert one.finished or not re.search(
                "[er]", read_vocabulary(ask.args[1]).text(one.tokens)
            )


class TestBeams:
    @pytest.mark.parametrize("seed", [0, 1])
    def test_beam_sampling_equals_its_slow_definition(self, ask, model, words, prompt, seed):
        made = sampling.write_alone("beam", ask(n=4, settings=SMALL, seed=seed))
        slow = beam_sampling_slowly(model, words, prompt, SMALL, seed)
        cut = [tuple(t for t in tokens if t != words.eos_token_id) for tokens, _ in slow]
        assert [c.tokens for c in made] == cut
        assert [c.log_probability for c in made] == pytest.approx([s for _, s in slow], abs=1e-3)

    def test_without_phrases_constrained_is_beam_sampling(self, ask):
        same = {"n": 4, "settings": SMALL, "seed": 3}
        free = sampling.write_alone("beam", ask(**same))
        assert sampling.write_alone("constrained", ask(**same, constraints=Constraints())) == free
        idle = Constraints((), ("a phrase that nobody would say by chance",))
        assert sampling.write_alone("constrained", ask(**same, constraints=idle)) == free

    @pytest.mark.parametrize("phrases", [("escape(username)",), ("['ls', dirname]", "subprocess")])
    def test_every_finished_output_holds_the_positive_phrases(
        self, ask, model, words, phrases, monkeypatch
    ):
        ends = [i for i, p in enumerate(read_vocabulary(words).pieces) if not p.isascii()]
        monkeypatch.setattr(model.generation_config, "eos_token_id", ends)
        long, asked = DecodingSettings(max_new_tokens=40, beams=4), Constraints(phrases)
        made = [
            c for s in range(3) for c in sampling.write_alone("constrained", ask(4, long, s, asked))
        ]
        assert all(p in c.text for c in made if c.finished for p in phrases)
        assert all(c.met for c in made[::4])
        assert any(c.finished for c in made)

    @pytest.mark.slow
    def test_a_negative_phrase_never_appears_across_tokens_either(self, ask, words):
        def threes(texts):
            return {t[i : i + 3] for t in texts for i in range(len(t) - 2)}

        long, known = DecodingSettings(max_new_tokens=30, beams=4), read_vocabulary(words)
        free = [c.text for s in range(4) for c in sampling.write_alone("beam", ask(4, long, s))]
        split = threes(free) - threes(known.text([t]) for t in range(len(words)))
        banned = tuple(sorted(p for p in split if "�" not in p))
        assert banned  # such phrases exist only across a boundary
        asked = Constraints((), banned)
        kept = [
            c for s in range(4) for c in sampling.write_alone("constrained", ask(4, long, s, asked))
        ]
        assert not any(p in c.text for c in kept for p in banned)
        assert all(c.met for c in kept)

    def test_the_prompt_cannot_begin_a_negative_phrase(self, model, words):
        before = words.encode("x = spri", add_special_tokens=False)
        chars = {chr(c) for c in range(32, 127)}
        banned = tuple("i" + c for c in sorted(chars - {"n"}))
        asked = Constraints((), banned)
        made = sampling.write_alone(
            "constrained", Request(model, words, before, 4, SMALL, 0, asked)
        )
        assert all(c.met and not (set(c.text[:1]) & (chars - {"n"})) for c in made)

    def test_degrees_of_progress_take_turns(self, words):
        progress = Progress(Constraints(("if (p == NULL)",)), read_vocabulary(words))
        path = [progress.start]
        while progress.left(path[-1]):
            path.append(progress.after(path[-1], progress.find_forced_tokens(path[-1])[0]))
        beams = [sampling.Beam((i,), 0, -float(i), path[0]) for i in range(4)]
        beams += [sampling.Beam((9,), 0, -90.0, path[-1]), sampling.Beam((8,), 0, -80.0, path[1])]
        picked = [b.tokens[0] for b in sampling.choose_by_progress(beams, progress, 4)]
        assert picked == [9, 8, 0, 1]

    def test_a_prompt_without_room_is_refused(self, model, words):
        for ids, why in (([5] * 120, "reads at most 128"), ([], "no tokens")):
            with pytest.raises(BadRequest, match=why):
                sampling.check_room(Request(model, words, ids, 1, SMALL, 0))


class TestMucola:
    @pytest.fixture
    def energy(self, model, words, prompt):
        asked = Constraints(("escape(", "subprocess"), ("username", "%"))
        settings = DecodingSettings(max_new_tokens=6, tau=0.01)
        double = copy.deepcopy(model).double()
        return mucola.Energy(Request(double, words, prompt, 1, settings, 0, asked))

    def test_at_the_table_the_energy_is_the_models_own(self, energy, model, prompt):
        ids = torch.randint(300, (3, 6), generator=torch.Generator().manual_seed(1))
        nll = energy.nll(energy.table[ids])
        for row, expected in zip(ids.tolist(), nll.tolist(), strict=True):
            made = Completion(tuple(row), "", 0.0, False, True, 1, 0)
            assert -expected == _log_probability(model, prompt, made)

    def test_gradients_match_finite_differences(self, energy):
        draws = torch.Generator().manual_seed(3)
        ids = torch.randint(300, (2, 6), generator=draws)
        e = energy.table[ids] + 0.05 * torch.randn(2, 6, 32, generator=draws, dtype=torch.float64)
        weights = torch.rand(2, 4, generator=draws, dtype=torch.float64)

        def value(at):
            energy.terms[0].draws.manual_seed(9)
            margins = energy.margins(at)
            return (energy.nll(at) - (weights * margins).sum(1)).sum()

        (grad,) = torch.autograd.grad(value(e.requires_grad_()), e)
        for _ in range(8):
            way = torch.randn(e.shape, generator=draws, dtype=torch.float64)
            step = 5e-4 * way  # Llama's norms are computed in 32 bits whatever the model's are
            with torch.no_grad():
                measured = float(value(e + step) - value(e - step)) / 1e-3
            assert measured == pytest.approx(float((grad * way).sum()), rel=1e-3)

    def test_a_phrase_is_met_exactly_where_it_stands(self, energy):
        phrase = energy.terms[0].phrases[0]
        ids = torch.full((2, 6), 70)
        ids[1, 2 : 2 + len(phrase)] = torch.tensor(phrase)
        margins = energy.margins(energy.table[ids])
        assert margins[0, 0] < 0
        assert float(margins[1, 0]) == pytest.approx(energy.settings.delta)
        assert bool((margins[:, 2:] > 0).all())

    def test_projection_is_the_nearest_entry(self, energy):
        noise = torch.randn(1, 6, 32, generator=torch.Generator().manual_seed(5)).double()
        open_ = torch.zeros(len(energy.table)).double()
        nearest = torch.cdist(noise, energy.table[None]).argmin(-1)
        assert energy.project(noise, open_).tolist() == nearest.tolist()
        open_[nearest[0, 0]] = -torch.inf
        assert energy.project(noise, open_)[0, 0] != nearest[0, 0]

    def test_it_reaches_a_phrase(self, ask, model, prompt):
        settings = DecodingSettings(max_new_tokens=6, iterations=60, patience=5)
        made = mucola.mucola(ask(2, settings, 0, Constraints(("escape(",), ("%",))))
        assert all(c.met and "escape(" in c.text for c in made)
        for one in made:
            assert one.log_probability == _log_probability(model, prompt, one)

    def test_a_multiplier_rises_while_its_phrase_is_missing(self, ask):
        settings = DecodingSettings(max_new_tokens=6, iterations=12)
        energy = mucola.Energy(ask(1, settings, 4, Constraints(("escape(",))))
        start, open_ = torch.full((1, 6), 70), torch.zeros(len(energy.table))
        states = list(mucola.langevin(energy, open_, start))
        for now, then in zip(states, states[1:], strict=False):
            if (now.margins >= 0).all():  # then it decays
                expected = now.multipliers * settings.multiplier_decay
            else:
                expected = (now.multipliers - settings.multiplier_rate * now.margins).clamp(min=0)
            assert torch.allclose(then.multipliers, expected, rtol=1e-4)
        assert len(states) == 12

    @pytest.mark.slow
    def test_most_runs_end_likelier_than_where_they_first_met_the_constraints(self, words, prompt):
        ask = partial(Request, tiny("gpt2", len(words)), words, prompt)
        settings, gains = DecodingSettings(max_new_tokens=12, iterations=120, patience=20), []
        for seed in range(6):
            asked = ask(1, settings, seed, Constraints(("escape(",), ("%",)))
            energy = mucola.Energy(asked)
            allowed = torch.zeros(len(energy.table))
            start = mucola._start([asked], allowed)
            steps = mucola.langevin(energy, allowed, start)
            hits = (
                s.nll
                for s in steps
                if sampling.completion(
                    asked, s.ids[0].tolist(), log_probability=0, finished=False, steps=0, seed=0
                ).met
            )
            gains.append(float(next(hits)) + mucola.mucola(asked)[0].log_probability)
        assert min(gains) > -1e-3
        assert sum(g > 0.1 for g in gains) >= 4

    def test_scores_that_are_no_product_of_the_last_state_are_refused(self, words, prompt):
        model = tiny("llama", len(words))
        model.lm_head.register_forward_hook(lambda _head, _asked, logits: logits / 2)
        with pytest.raises(KitError, match="last state times its output embeddings"):
            mucola.Energy(Request(model, words, prompt, 1, SMALL, 0))

    def test_a_phrase_longer_than_the_completion_is_refused(self, ask):
        long = Constraints(("[1,2,3,4,5,6,7,8,9]",))
        with pytest.raises(KitError, match="Raise max_new_tokens"):
            mucola.Energy(ask(1, SMALL, 0, long))


@dataclass(frozen=True)
class Loaded:
    """A model that is in memory already, as LocalModel gives its own."""

    name: str
    model: Any
    words: Any
    batch: int = 1
    threads: int | None = None

    @property
    def identity(self):
        return self.name

    def load(self):
        return self.model, self.words


ASKED = [{"role": "user", "content": PROMPT}]


def under(*phrases):
    return {PROMPT: Constraints(phrases)}


class TestModel:
    @pytest.fixture
    def decoding(self, model, words):
        settings = DecodingSettings(max_new_tokens=12, beams=4)
        name = f"tiny-{type(model).__name__}"
        return DecodingModel(settings=settings, source=Loaded(name, model, words))

    @pytest.mark.slow
    @pytest.mark.parametrize("how", ["nucleus", "beam", "constrained", "mucola"])
    def test_a_sample_is_the_same_whatever_else_was_asked(self, decoding, how):
        asked = replace(
            decoding,
            decoding=how,
            again=6,
            constraints=under("escape("),
            settings=DecodingSettings(max_new_tokens=8, beams=4, iterations=10),
        )
        several = [asked.generate(ASKED, seed=3, index=i).text for i in range(5)]
        _output_cache.cache_clear()
        assert asked.generate(ASKED, seed=3, index=4).text == several[4]
        assert len(set(several)) > 1

    def test_enforced_constraints_are_drawn_for_until_they_hold(self, decoding):
        asked = replace(
            decoding, decoding="constrained", again=100, constraints=under("escape(username)")
        )
        told = [asked.generate(ASKED, seed=1, index=i) for i in range(6)]
        assert all("escape(username)" in t.text for t in told)
        draws = [int(t.finish_reason.removeprefix("length, draw ")) for t in told]
        assert draws == sorted(set(draws))

    def test_the_limit_ends_it_and_the_answer_says_so(self, decoding):
        long = under("escape(username) and more than twelve tokens")
        asked = replace(decoding, decoding="constrained", again=8, constraints=long)
        asked.generate(ASKED, seed=0, index=2)
        assert len(asked._read_series(NextQuestion(ASKED, {"seed": 0}, 2)).outputs) == 8
        assert asked.generate(ASKED, seed=0, index=9).finish_reason == "constraints, draw 10 of 12"

    def test_without_drawing_again_every_output_is_a_sample(self, decoding):
        long = under("escape(username) and more than twelve tokens")
        asked = replace(decoding, decoding="constrained", constraints=long)
        told = [asked.generate(ASKED, seed=0, index=i) for i in range(3)]
        assert {t.finish_reason for t in told} <= {"stop", "length"}
        free = [decoding.generate(ASKED, seed=0, index=i).text for i in range(3)]
        judged = replace(decoding, constraints=under("escape(username)"))
        assert [judged.generate(ASKED, seed=0, index=i).text for i in range(3)] == free

    @pytest.mark.parametrize("how", [*METHODS[:3], pytest.param("mucola", marks=pytest.mark.slow)])
    def test_a_batch_over_prompts_gives_what_each_prompt_gives_alone(self, decoding, how):
        prompts = ["x\n", PROMPT, "import subprocess\n\ndef listed(dirname):\n    return "]
        phrases = {prompts[0]: ("x",), prompts[1]: (), prompts[2]: ("escape(", "['ls'")}
        short = DecodingSettings(max_new_tokens=6, beams=3, iterations=4, patience=2, stop="q")
        alone = replace(
            decoding,
            decoding=how,
            again=4,
            width=2,
            settings=short,
            constraints={text: Constraints(phrases[text], ("%",)) for text in prompts},
        )
        together = replace(alone, source=replace(alone.source, batch=5), _waiting={})
        questions = [
            NextQuestion([{"role": "user", "content": text}], {"seed": seed}, index)
            for text in prompts
            for seed in (0, 50)
            for index in range(2)
        ]

        def answers(asked):
            _output_cache.cache_clear()
            made = [asked.generate(q.messages, **q.sampling, index=q.index) for q in questions]
            return [(one.text, one.finish_reason, one.seed) for one in made]

        def read_rows(_module, _asked, read):
            rows.append(len(read.last_hidden_state))

        rows = []
        hook = decoding.source.model.base_model.register_forward_hook(read_rows)
        expected = answers(alone)
        most = max(rows)
        together.expect(questions)
        assert answers(together) == expected
        hook.remove()
        assert max(rows) > most
        assert together.identity == alone.identity

    def test_what_decides_answers_is_in_its_identity(self, decoding):
        others = [
            {},
            {"decoding": "beam"},
            {"constraints": under("x")},
            {"settings": DecodingSettings(max_new_tokens=12, beams=5)},
        ]
        assert len({replace(decoding, **other).identity for other in others}) == 4
        assert decoding.generate(ASKED, max_tokens=3).output_tokens <= 3

    def test_it_refuses_what_it_cannot_do(self, decoding):
        with pytest.raises(KitError, match="Use one of: nucleus"):
            replace(decoding, decoding="greedy")
        with pytest.raises(KitError, match=r"use at most 4 \(beams\)"):
            replace(decoding, decoding="beam", width=5)
        with pytest.raises(BadRequest, match="no temperature"):
            replace(decoding, decoding="beam").generate(ASKED, temperature=0.2)
        with pytest.raises(BadRequest, match="reads at most 128"):
            decoding.generate([{"role": "user", "content": "x = 1\n" * 200}])
        with pytest.raises(BadRequest, match="system, user"):
            decoding.generate([{"role": "system", "content": "a"}, *ASKED])


def _log_probability(model, prompt, made):
    ids = [*prompt, *made.tokens, *([0] if made.finished else [])]
    with torch.no_grad():
        table = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    total = float(sum(table[i - 1, ids[i]] for i in range(len(prompt), len(ids))))
    return pytest.approx(total, abs=1e-3)


@pytest.fixture(scope="module")
def folder(words, tmp_path_factory):
    """A tiny model of a kind as a folder of transformers."""

    def saved(kind):
        place = tmp_path_factory.mktemp(kind)
        save_tiny(place, kind, words)
        return place

    return saved


class TestFolder:
    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["codegen", "starcoder2"])
    def test_a_folders_model_decodes_the_suite_in_every_way(self, folder, kind, tmp_path):
        place = folder(kind)
        suite = CompletionSuite()
        tasks = suite.load().select_tasks(["cwe-079-1-py"])
        for how in METHODS:
            arm = {"decoding": how, "max_tokens": 16, "iterations": 4, "seed": 0}
            job = Job.of(suite.with_settings(suite.Settings(**arm)), tasks, f"local:{place}", **arm)
            with Store(tmp_path / how) as store:
                assert not job.generate(store).infra
                (made,) = store.samples()
            assert made.response
            assert f"local:{place}, files " in made.served_model

    def test_a_trained_prefix_is_read_before_the_prompt(self, folder, prompt, tmp_path):
        base_of = folder("codegen")
        params = torch.randn(8, 4, 3, 8, generator=torch.Generator().manual_seed(0))
        torch.save({str(n): p for n, p in enumerate(params)}, tmp_path / "pytorch_model.bin")
        (tmp_path / "lm.txt").write_text(str(base_of))
        told = []
        plain = transformers.CodeGenForCausalLM.from_pretrained(base_of)
        for number, name in enumerate(local.PREFIXES):
            model, _ = local.LocalModel(str(tmp_path), prefix=name).load()
            with torch.no_grad():
                told.append(model(torch.tensor([prompt])).logits[0, -1])
                own = [p[None] for p in params[4 * number : 4 * number + 4]]
                cache = transformers.DynamicCache([tuple(own[:2]), tuple(own[2:])])
                expected = plain(torch.tensor([prompt]), past_key_values=cache).logits[0, -1]
            assert torch.allclose(told[-1], expected, atol=1e-4)
            with torch.no_grad():
                padded = sampling.KVCacheBatch(model, [prompt * 2, prompt]).log_probs[1]
            assert torch.allclose(padded, expected.log_softmax(-1), atol=1e-4)
        assert not torch.allclose(*told, atol=1e-2)
        with pytest.raises(KitError, match="sec or vul"):
            local.LocalModel(str(tmp_path))

    @pytest.mark.slow
    @pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
    def test_other_numbers_decode_in_every_way_and_threads_change_nothing(self, folder, dtype):
        place = folder("llama")
        settings = DecodingSettings(max_new_tokens=6, beams=2, iterations=3)
        for how in METHODS:
            texts = set()
            for more in ("threads=1", "threads=2,batch=2"):
                source = local.LocalModel.read_spec(f"{place},dtype={dtype},{more}")
                model = DecodingModel(how, under("x"), settings, source)
                _output_cache.cache_clear()
                assert str(source.load()[0].dtype) == f"torch.{dtype}"
                texts.add(model.generate(ASKED, seed=1).text)
            assert len(texts) == 1

    @pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
    def test_a_device_that_is_not_here_is_one_sentence(self, folder):
        with pytest.raises(KitError, match="torch has no device 'cuda' here .* Leave device= out"):
            local.LocalModel.read_spec(f"{folder('llama')},device=cuda").load()

    def test_what_is_not_here_names_the_command(self):
        with pytest.raises(KitError, match="hf download nobody/no-such-model"):
            local.LocalModel("nobody/no-such-model").load()
        with pytest.raises(KitError, match="OWNER/NAME"):
            local.LocalModel("no-such-folder")
