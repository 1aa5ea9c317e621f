"""What a run costs at most, and the limit on it."""

import csv
import threading

import pytest
from wire import Reply, Server

from kit.errors import KitError
from kit.generation import answering
from kit.generation.cost import PRICES, Budget, BudgetReached, Price, forecast, load_prices
from kit.generation.models import open_model
from kit.generation.remote import Access, OpenAIModel
from kit.records import Status, Task

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


def test_nothing_costs_nothing():
    got = forecast([], model(), PRICES_HERE, max_tokens=100)
    assert (got.calls, got.input_tokens, got.output_tokens_at_most, got.usd_at_most) == (0, 0, 0, 0)


def test_a_forecast_is_the_sum_of_its_parts():
    got = forecast([ASK] * 10, model(), PRICES_HERE, max_tokens=500)
    assert (got.calls, got.input_tokens, got.output_tokens_at_most) == (10, 1000, 5000)
    assert got.usd_at_most == pytest.approx((1000 * 2 + 5000 * 8) / 1e6)
    assert "10 calls, about 1,000 input tokens (characters / 4), at most 5,000" in str(got)
    assert "prices of 2026-01-01" in str(got)


def test_an_unknown_price_is_unknown_and_not_zero():
    got = forecast([ASK], model(), {}, max_tokens=500)
    assert got.usd_at_most is None
    assert "cost unknown" in str(got)


def test_an_unbounded_answer_has_no_known_cost():
    got = forecast([ASK], model(), PRICES_HERE)
    assert (got.output_tokens_at_most, got.usd_at_most) == (None, None)
    assert "max_tokens" in str(got)


def test_the_local_model_is_free_and_a_stranger_is_unknown():
    prices = load_prices()
    assert forecast([ASK], open_model("local"), prices).usd_at_most == 0
    stranger = open_model("openai:gpt-4o", base_url="http://localhost:1/v1")
    assert forecast([ASK], stranger, prices, max_tokens=9).usd_at_most is None
    assert forecast([ASK], open_model("openai:gpt-4o"), prices, max_tokens=9).usd_at_most > 0


def test_every_row_of_the_price_table_has_a_source():
    with PRICES.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(load_prices()) == len(rows)
    for row in rows:
        assert row["source"]
        assert row["date"] or row["model"].startswith("local")
        assert float(row["output_usd_per_mtok"]) >= float(row["input_usd_per_mtok"]) >= 0


def asked(server, budget, n, **options):
    return [
        answering.ask_once(
            model(server), TASK, ASK, index=i, budget=budget, arm={"max_tokens": 100}, **options
        )
        for i in range(n)
    ]


def test_a_budget_counts_what_the_service_counted():
    budget = Budget(1.0, PRICES_HERE)
    with Server([Reply(usage=(100, 50))]) as server:
        asked(server, budget, 3)
    assert budget.spent == pytest.approx(3 * (100 * 2 + 50 * 8) / 1e6)


def test_a_budget_stops_before_the_call_that_could_cross_it():
    most = PRICE.of(400 + 16, 100)
    budget = Budget(2.5 * most, PRICES_HERE)
    cache = {}
    with Server([Reply(usage=(416, 100))]) as server:
        asked(server, budget, 2, cache=cache)
        with pytest.raises(BudgetReached, match="answers so far are kept"):
            asked(server, budget, 3, cache=cache)
        assert len(server.requests) == len(cache) == 2
        asked(server, Budget(1.0, PRICES_HERE), 3, cache=cache)
        assert len(server.requests) == 3
    assert budget.spent <= budget.usd


def test_threads_together_keep_within_a_budget():
    most = PRICE.of(400 + 16, 100)
    budget, reached = Budget(3.5 * most, PRICES_HERE), []

    def ask(index):
        try:
            answering.ask_once(
                model(server), TASK, ASK, index=index, budget=budget, arm={"max_tokens": 100}
            )
        except BudgetReached as stop:
            reached.append(stop)

    with Server([Reply(usage=(416, 100), wait_s=0.2)]) as server:
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.requests) == 3
    assert len(reached) == 5
    assert budget.spent == pytest.approx(3 * most)


def test_a_service_that_does_not_count_is_charged_at_its_dearest():
    budget = Budget(1.0, PRICES_HERE)
    with Server([Reply(usage=None)]) as server:
        asked(server, budget, 1)
    assert budget.spent == pytest.approx(PRICE.of(416, 100))


@pytest.mark.parametrize(
    ("reply", "share"), [(Reply(status=401), 0), (Reply(status=500), 0), (Reply(cut=True), 1)]
)
def test_a_failed_call_is_charged_only_if_it_may_have_been_answered(reply, share):
    budget = Budget(1.0, PRICES_HERE)
    with Server([reply]) as server:
        (sample,) = asked(server, budget, 1)
    assert sample.status == Status.INFRA_ERROR
    assert budget.spent == pytest.approx(share * PRICE.of(416, 100))


def test_a_budget_without_a_price_or_a_bound_is_the_users_mistake():
    with pytest.raises(KitError, match="prices.csv"):
        answering.ask_once(model(), TASK, ASK, budget=Budget(1.0, {}), arm={"max_tokens": 9})
    with pytest.raises(KitError, match="max_tokens"):
        answering.ask_once(model(), TASK, ASK, budget=Budget(1.0, PRICES_HERE))


@pytest.mark.parametrize("usd", [float("nan"), float("inf"), -1.0])
def test_a_budget_that_could_not_stop_anything_is_refused(usd):
    with pytest.raises(KitError, match="is not valid"):
        Budget(usd, PRICES_HERE)
