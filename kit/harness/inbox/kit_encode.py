"""In the box: any Python value as JSON, within bounds; loads next to nothing, as kit_channel."""

import io
import itertools
from _collections_abc import (
    AsyncGenerator,
    ItemsView,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    Set,
    ValuesView,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEPTH, NODES, TEXT = 60, 200_000, 2_000_000
BITS = 14_000  # of an integer: its digits are as many as any Python reads
_HEX = "0123456789abcdefABCDEF"
# What classes keep the fields of their records in: dataclasses, pydantic, attrs, named tuples.
_FIELDS = (
    "__dataclass_fields__",
    "__pydantic_fields__",
    "__fields__",
    "__attrs_attrs__",
    "_fields",
)


class TooLarge(Exception):
    """The value has more parts than a channel should carry."""


def settle(value: "Any") -> "Any":
    """What a caller would work with: coroutines awaited, generators and iterators listed."""
    kind = type(value)
    waits = (kind.__module__, kind.__name__) == ("builtins", "coroutine")
    if waits or isinstance(value, AsyncGenerator):
        import asyncio

        return settle(asyncio.run(value if waits else _listed(value)))
    if isinstance(value, Iterator) and not isinstance(value, io.IOBase):
        return _take_values(value)
    return value


def _take_values(values: "Any") -> "list[Any]":
    """All values of an iterator; of one that is too long to be told, one more than can be told."""
    taken = []
    for value in itertools.islice(values, NODES + 1):
        taken.append(value)
        if type(value) is int and value.bit_length() > BITS:
            break
    return taken


async def _listed(values: "Any") -> "list[Any]":
    return [value async for value in values]


def encode(value: "Any") -> "Any":
    """JSON for `value`; what JSON cannot say as {"__bytes__": ...} and the like; huge by name."""
    try:
        return _encode(value, DEPTH, itertools.count())
    except TooLarge:
        return {"__type__": type(value).__name__, "__repr__": "<too large to be returned>"}


def _encode(value: "Any", depth: int, nodes: "Any") -> "Any":
    if next(nodes) > NODES or depth == 0:
        raise TooLarge
    if value is None or isinstance(value, (bool, str, int, float)):
        return _scalar(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"__bytes__": _check_length(bytes(value)).hex()}
    if names := _fields(type(value)):
        items = [_encode(getattr(value, name), depth - 1, nodes) for name in names]
        record = {**_object(value), "__names__": names, "__items__": items}
        if isinstance(value, tuple):
            record["__tuple__"] = True
        return record
    if isinstance(value, Mapping):
        return _mapping(value, depth, nodes)
    if callable(getattr(type(value), "tolist", None)):
        plain = _encode(value.tolist(), depth - 1, nodes)
        number = str(getattr(value, "dtype", getattr(value, "typecode", "")))
        is_single = number == "f" or number.endswith("float32")  # of array, of numpy and the like
        return _singles(plain) if is_single else plain
    if isinstance(value, (Sequence, KeysView, ValuesView, ItemsView)):
        return [_encode(v, depth - 1, nodes) for v in value]
    if isinstance(value, Set):
        items = [_encode(v, depth - 1, nodes) for v in value]
        return {"__set__": sorted(items, key=repr)}
    return _object(value)


def _fields(kind: type) -> "list[str]":
    """The names of the fields of a record; none of what is no record."""
    for attribute in _FIELDS:
        if attribute == "_fields" and not issubclass(kind, tuple):
            break
        if hasattr(kind, attribute):
            fields = [*getattr(kind, attribute)]
            return [str(getattr(field, "name", field)) for field in fields]
    return []


def _singles(value: "Any") -> "Any":
    """Numbers of single precision, at any depth of lists."""
    if isinstance(value, list):
        return [_singles(v) for v in value]
    return {"__float32__": value}


def _check_length(value: "Any") -> "Any":
    if len(value) > TEXT:
        raise TooLarge
    return value


def _scalar(value: "Any") -> "Any":
    if isinstance(value, str):
        return str.__str__(_check_length(value))
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"__float__": float.__repr__(value)}
    if type(value) is int and value.bit_length() > BITS:
        if value.bit_length() > TEXT:
            raise TooLarge
        return {"__type__": "int", "__repr__": hex(value)}
    return value


def _mapping(value: "Mapping[Any, Any]", depth: int, nodes: "Any") -> "Any":
    names = {key: _name(key) for key in value}
    if len(set(names.values())) < len(names):
        return {"__type__": type(value).__name__, "__repr__": "<keys that are equal as text>"}
    return {names[k]: _encode(v, depth - 1, nodes) for k, v in value.items()}


def _name(key: "Any") -> str:
    if isinstance(key, str):
        return str.__str__(key)
    words = {None: "null", True: "true", False: "false"}
    return words[key] if key is None or isinstance(key, bool) else repr(key)


def _object(value: "Any") -> dict[str, "Any"]:
    text, *rest = repr(value).split(" at 0x")
    for part in rest:
        is_address = part and part[0] in _HEX
        text += part.lstrip(_HEX) if is_address else f" at 0x{part}"
    return {"__type__": type(value).__name__, "__repr__": text[:10_000]}


def decode(value: "Any", results: "list[Any]") -> "Any":
    """The inverse, for inputs; {"__result__": n} is the result of an earlier call."""
    if isinstance(value, list):
        return [decode(v, results) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        readers: dict[str, Any] = {
            "__bytes__": bytes.fromhex,
            "__float__": float,
            "__set__": set,
            "__result__": results.__getitem__,
        }
        ((key, inner),) = value.items()
        if key in readers:
            return readers[key](inner)
    return {k: decode(v, results) for k, v in value.items()}
