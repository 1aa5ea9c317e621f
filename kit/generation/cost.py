"""Forecasts the maximum cost of a run and enforces a budget; an unknown price stays unknown."""

import csv
import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kit.core.errors import KitError
from kit.core.paths import DATA
from kit.generation.base import Messages, Model, ModelError, Response

PRICES = DATA / "prices.csv"
CHARS_PER_TOKEN = 4  # a rule of thumb for English and code, stated wherever it is used
FRAME_TOKENS = 16  # an upper bound for what a chat format adds around a message


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens, as `source` stated them on `date`."""

    input_usd_per_mtok: float
    output_usd_per_mtok: float
    date: str = ""
    source: str = ""

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """input price x input tokens + output price x output tokens."""
        paid = self.input_usd_per_mtok * input_tokens + self.output_usd_per_mtok * output_tokens
        return paid / 1e6


def load_prices() -> dict[str, Price]:
    """The price table by exact model name; a name with a date is another model."""
    prices = {}
    with PRICES.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            asked = float(row["input_usd_per_mtok"])
            written = float(row["output_usd_per_mtok"])
            prices[row["model"]] = Price(asked, written, row["date"], row["source"])
    return prices


@dataclass(frozen=True)
class Forecast:
    """The calls, tokens and cost of requests. Input is estimated, output bounded; None: unknown."""

    calls: int
    input_tokens: int  # estimate: characters / 4
    output_tokens_at_most: int | None
    usd_at_most: float | None
    price: Price | None

    def __str__(self) -> str:
        output = self.output_tokens_at_most
        price = self.price
        bound = "an unbounded number of" if output is None else f"at most {output:,}"
        if price is None:
            cost = "cost unknown (no price on file)"
        elif self.usd_at_most is None:
            cost = "cost unknown (set max_tokens to bound it)"
        else:
            dated = f", prices of {price.date}" if price.date else ""
            cost = f"at most about ${self.usd_at_most:,.2f}{dated}"
        return (
            f"{self.calls} calls, about {self.input_tokens:,} input tokens (characters / 4), "
            f"{bound} output tokens, {cost}"
        )


def forecast_cost(
    requests: Iterable[Messages],
    model: Model,
    prices: Mapping[str, Price],
    *,
    max_tokens: int | None = None,
) -> Forecast:
    """calls x (characters / 4 at the input price + max_tokens at the output price)."""
    calls = 0
    tokens = 0
    for messages in requests:
        characters = sum(len(message["content"]) for message in messages)
        calls += 1
        tokens += -(-characters // CHARS_PER_TOKEN)
    limit = max_tokens or model.default_max_tokens
    output = None if limit is None else limit * calls
    price = prices.get(model.price_key)
    usd = None
    if price is not None and output is not None:
        usd = price.of(tokens, output)
    return Forecast(calls, tokens, output, usd, price)


class BudgetReached(Exception):  # noqa: N818 - an event of a run, not a mistake
    """The next call could exceed the budget; all answers so far are kept."""


@dataclass
class Budget:
    """A limit in US dollars. A call is made only if its maximum cost stays within it.

    A call that fits only if calls under way cost less than they could waits for these.
    `spent` is the cost of the answers by their token counts, or the maximum cost of a call if the
    service sent no counts or broke off. A retry after a broken connection may be charged twice,
    which `spent` includes afterwards. Threads may share one.
    """

    usd: float
    prices: Mapping[str, Price] = field(default_factory=load_prices)
    spent: float = 0.0
    _reserved: float = field(default=0.0, repr=False)
    _under_way: int = field(default=0, repr=False)
    _changed: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def __post_init__(self) -> None:
        """Refuse a limit that is negative, infinite or NaN, which no cost exceeds."""
        if not 0 <= self.usd < math.inf:
            raise KitError(f"A budget of {self.usd} is not valid. Give US dollars, such as 2.50.")

    def spend(
        self, model: Model, messages: Messages, max_tokens: int | None, ask: Callable[[], Response]
    ) -> Response:
        """The response of one call, whose maximum cost is reserved while it lasts.

        Raises BudgetReached before the call; KitError if its cost cannot be bounded.
        """
        price = self.prices.get(model.price_key)
        limit = max_tokens or model.default_max_tokens
        if price is None:
            raise KitError(
                f"The price of {model.name} is unknown, so its budget cannot be enforced. "
                "Type --price IN OUT (US dollars for a million tokens) with kit run, add a row for "
                f"{model.price_key or model.name!r} to data/prices.csv, or leave the budget out."
            )
        if limit is None:
            raise KitError(
                "A budget needs a maximum length of answers. Set max_tokens, such as 2048."
            )
        # A token has at least one byte, so the bytes bound the tokens of any tokenizer.
        bytes_in = sum(len(m["content"].encode()) + FRAME_TOKENS for m in messages)
        most = price.of(bytes_in, limit)
        paid = 0.0
        with self._changed:
            while self.spent + self._reserved + most > self.usd:
                if self.spent + most > self.usd or not self._under_way:
                    raise BudgetReached(
                        f"The budget of ${self.usd:g} is reached: ${self.spent:.4f} is spent, "
                        f"${self._reserved:.4f} is reserved by {self._under_way} calls under way, "
                        f"and the next call could cost ${most:.4f}; run again with a larger "
                        "budget, answers so far are kept."
                    )
                self._changed.wait()
            self._reserved += most
            self._under_way += 1
        try:
            response = ask()
            paid = most
            if response.input_tokens is not None and response.output_tokens is not None:
                paid = price.of(response.input_tokens, response.output_tokens)
            return response
        except ModelError as error:
            paid = most * error.attempts if error.maybe_billed else 0.0
            raise
        finally:
            with self._changed:
                self._under_way -= 1
                self._reserved -= most
                self.spent += paid
                self._changed.notify_all()
