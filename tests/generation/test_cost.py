"""What a run costs at most, and the limit on it."""

import csv
from concurrent.futures import ThreadPoolExecutor

import pytest

from kit.core.errors import KitError
from kit.core.records import Status, Task
from kit.generation.cost import PRICES, Budget, BudgetReached, Price, forecast_cost, load_prices
from kit.generation.models import open_model
from kit.generation.remote import Access, OpenAIModel
from tests.support.wire import Reply, Server, ask_once

ASK = [{"role": "user", "content": "x" * 400}]
TASK = Task("1", "s", "say", ())
PRICE = Price(2.0, 8.0, "2026-01-01", "made up for this test")
PRICES_HERE = {"openai:m": PRICE}


def model(server=None, **options):
    address = server.openai if server else "http://127.0.0.1:9"
    access = Access(address, tries=1, backoff_s=0.01, timeout_s=5, **options)
    return OpenAIModel("openai:m", "m", access, price_key="openai:m")


def test_a_price_is_linear_in_tokens():
    assert PRICE.of(1_000_000, 0) == 2.0
    assert PRICE.of(0, 1_000_000) == 8.0
    assert PRICE.of(3, 5) == pytest.approx(PRICE.of(3, 0) + PRICE.of(0, 5))


def test_a_forecast_is_the_sum_of_its_parts():
    got = forecast_cost([], model(), PRICES_HERE, max_tokens=100)
    assert (got.calls, got.input_tokens, got.output_tokens_at_most, got.usd_at_most) == (0, 0, 0, 0)
    got = forecast_cost([ASK] * 10, model(), PRICES_HERE, max_tokens=500)
    assert (got.calls, got.input_tokens, got.output_tokens_at_most) == (10, 1000, 5000)
    assert got.usd_at_most == pytest.approx((1000 * 2 + 5000 * 8) / 1e6)
    assert "10 calls, about 1,000 input tokens (characters / 4), at most 5,000" in str(got)
    assert "prices of 2026-01-01" in str(got)


def test_without_a_price_or_a_bound_the_cost_is_unknown_and_not_zero():
    priced = forecast_cost([ASK], model(), PRICES_HERE)
    bounded = forecast_cost([ASK], model(), {}, max_tokens=500)
    assert (priced.output_tokens_at_most, priced.usd_at_most, bounded.usd_at_most) == (None,) * 3
    assert "max_tokens" in str(priced)
    assert "cost unknown" in str(bounded)


def test_the_local_model_is_free_and_a_stranger_is_unknown():
    prices = load_prices()
    assert forecast_cost([ASK], open_model("local"), prices).usd_at_most == 0
    stranger = open_model("openai:gpt-4o", base_url="http://localhost:1/v1")
    assert forecast_cost([ASK], stranger, prices, max_tokens=9).usd_at_most is None
    assert forecast_cost([ASK], open_model("openai:gpt-4o"), prices, max_tokens=9).usd_at_most > 0


def test_every_row_of_the_price_table_has_a_source():
    with PRICES.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(load_prices()) == len(rows)
    for row in rows:
        assert row["source"]
        assert row["date"] or row["model"].startswith("local")
        assert float(row["output_usd_per_mtok"]) >= float(row["input_usd_per_mtok"]) >= 0


def asked(server, budget, index, **options):
    options |= {"index": index, "budget": budget, "arm": {"max_tokens": 100}}
    return ask_once(model(server), TASK, ASK, **options)


def test_a_budget_stops_before_the_call_that_could_cross_it():
    budget = Budget(2.5 * PRICE.of(416, 100), PRICES_HERE)
    cache = {}
    with Server([Reply(usage=(416, 100))]) as server:
        for index in range(2):
            asked(server, budget, index, cache=cache)
        with pytest.raises(BudgetReached, match="answers so far are kept"):
            asked(server, budget, 2, cache=cache)
        asked(server, budget, 1, cache=cache)  # of what is kept nothing is to pay
        assert len(server.requests) == len(cache) == 2
        asked(server, Budget(1.0, PRICES_HERE), 2, cache=cache)
        assert len(server.requests) == 3
    assert budget.spent <= budget.usd


def test_threads_together_keep_within_a_budget():
    most = PRICE.of(400 + 16, 100)
    budget, reached = Budget(3.5 * most, PRICES_HERE), []

    def ask(index):
        try:
            asked(server, budget, index)
        except BudgetReached as stop:
            reached.append(stop)

    slow = Reply(usage=(416, 100), wait_s=0.2)
    with Server([slow]) as server, ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(8)))
    assert len(server.requests) == 3
    assert len(reached) == 5
    assert budget.spent == pytest.approx(3 * most)


def test_a_call_waits_for_those_under_way_and_the_budget_is_used_up():
    most, cheap = PRICE.of(400 + 16, 100), PRICE.of(100, 10)
    budget = Budget(1.5 * most, PRICES_HERE)  # room for one reservation, and for many cheap answers
    with Server([Reply(usage=(100, 10), wait_s=0.05)]) as server, ThreadPoolExecutor(4) as threads:
        answers = [threads.submit(asked, server, budget, n) for n in range(20)]
        reached = [e for e in (a.exception() for a in answers) if e]
    assert budget.spent == pytest.approx(len(server.requests) * cheap)
    assert budget.usd - most < budget.spent <= budget.usd
    assert all(isinstance(stop, BudgetReached) for stop in reached)
    assert f"${budget.spent:.4f} is spent, $0.0000 is reserved by 0 calls" in str(reached[-1])


LOST, MOST = Status.INFRA_ERROR, PRICE.of(416, 100)


@pytest.mark.parametrize(
    ("reply", "status", "charged"),
    [
        (Reply(usage=(100, 50)), Status.EXTRACTION_ERROR, (100 * 2 + 50 * 8) / 1e6),
        (Reply(usage=None), Status.EXTRACTION_ERROR, MOST),  # at its dearest if it does not count
        (Reply(status=401), LOST, 0),
        (Reply(status=500), LOST, 0),
        (Reply(cut=True), LOST, MOST),
    ],
)
def test_what_was_or_may_have_been_answered_is_charged_as_the_service_counts(
    reply, status, charged
):
    budget = Budget(1.0, PRICES_HERE)
    with Server([reply]) as server:
        assert asked(server, budget, 0).status == status
    assert budget.spent == pytest.approx(charged)


def test_a_budget_without_a_price_or_a_bound_is_the_users_mistake():
    with pytest.raises(KitError, match="prices.csv"):
        ask_once(model(), TASK, ASK, budget=Budget(1.0, {}), arm={"max_tokens": 9})
    with pytest.raises(KitError, match="max_tokens"):
        ask_once(model(), TASK, ASK, budget=Budget(1.0, PRICES_HERE))


@pytest.mark.parametrize("usd", [float("nan"), float("inf"), -1.0])
def test_a_budget_that_could_not_stop_anything_is_refused(usd):
    with pytest.raises(KitError, match="is not valid"):
        Budget(usd, PRICES_HERE)
