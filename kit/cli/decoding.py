"""The command of decoding: its speed beside transformers' own."""

import click

from kit.cli.options import as_json, bench, emit


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
