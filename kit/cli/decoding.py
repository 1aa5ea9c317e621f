"""The commands of decoding and completions: their speed."""

import click

from kit.cli.benches import bench
from kit.cli.options import as_json, emit


@bench.command("decoding")
@click.option("--beams", type=click.IntRange(1), default=25, show_default=True)
@click.option("--tokens", type=click.IntRange(1), default=24, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True)
@as_json
def bench_decoding(beams: int, tokens: int, rounds: int, as_json: bool) -> None:
    """Beam sampling against transformers' generate, constrained against free; tokens a second."""
    from kit.generation.decode.bench import bench as measured

    found = measured(beams=beams, tokens=tokens, rounds=rounds)
    emit(found, as_json, "\n".join(f"{name:26}{value}" for name, value in found.items()))


@bench.command("codeguard")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True,
              help="Labelled completions of each language.")  # fmt: skip
@as_json
def bench_codeguard(limit: int, as_json: bool) -> None:
    """Completions judged a second, and the shares of unit tests and of static analysis."""
    from kit.run import completion_speed

    found = completion_speed.measure(limit=limit)
    emit(found, as_json, "\n".join(f"{name:26}{value}" for name, value in found.items()))
