"""A second opinion about what is valid: cbor2, and the rules of protocol.md section 3 written anew.

Reads lines of "value|event HEX accepted|refused" as our decoder judged, and prints each line on which
this page judges otherwise. Not our code and not our language, so not our mistakes.
"""

import io
import sys

import cbor2

INT64 = range(-(2**63), 2**63)


class Refused(Exception):
    pass


def need(holds, why):
    if not holds:
        raise Refused(why)


def shape(data, at, depth):
    """Walks the heads: shortest forms, definite lengths, no float, tag or other simple value.

    Returns where the item ends. cbor2 is lenient here, so this is RFC 8949 section 3 by hand.
    """
    need(at < len(data), "truncated")
    major, low = data[at] >> 5, data[at] & 31
    at += 1
    if major == 7:
        need(low in (20, 21, 22), "float or simple value")
        return at
    need(major != 6, "tag")
    need(low <= 27, "indefinite or reserved length")
    number = low
    if low >= 24:
        size = 1 << (low - 24)
        need(at + size <= len(data), "truncated")
        number = int.from_bytes(data[at : at + size], "big")
        need(number >= (24 if size == 1 else 1 << (size * 4)), "not the shortest form")
        at += size
    if major <= 1:
        need(number < 2**63, "beyond 64 bits")
    elif major <= 3:
        need(at + number <= len(data), "truncated")
        at += number
    else:
        need(depth <= 16, "nested too deep")
        items = number * (2 if major == 5 else 1)
        need(items <= len(data) - at, "truncated")
        for _ in range(items):
            at = shape(data, at, depth + 1)
    return at


def loaded(data):
    need(shape(data, 0, 1) == len(data), "bytes after the end")
    stream = io.BytesIO(data)
    try:
        item = cbor2.CBORDecoder(stream, str_errors="strict").decode()
    except Exception as error:
        raise Refused(f"cbor2: {error}")
    need(stream.read() == b"", "bytes after the end")
    # Sorted keys, each once: only the canonical encoding is the input.
    need(cbor2.dumps(item, canonical=True) == data, "not canonical")
    return item


def value(item, depth):
    if item is None or isinstance(item, bool):
        return
    if isinstance(item, int):
        need(item in INT64, "beyond 64 bits")
    elif isinstance(item, str):
        need(len(item.encode()) <= 16_384, "text too long")
    elif isinstance(item, bytes):
        need(len(item) <= 16_384, "bytes too long")
    elif isinstance(item, (list, tuple)):
        need(depth <= 16, "nested too deep")
        for part in item:
            value(part, depth + 1)
    elif isinstance(item, dict):
        need(depth <= 16, "nested too deep")
        need(len(item) <= 64, "too many pairs")
        for key, part in item.items():
            name(key)
            value(part, depth + 1)
    else:
        raise Refused(f"a {type(item).__name__}")


def name(item):
    need(isinstance(item, str) and len(item.encode()) <= 64, "not a name")


def number(item, low, high=2**63 - 1):
    need(type(item) is int and low <= item <= high, "not such a number")


def identifier(item):
    need(isinstance(item, bytes) and len(item) == 16, "not an id")


def cells(operation):
    """The cells that an operation writes; those of newer verbs don't count."""
    if isinstance(operation, dict):
        return [("field", key) for key in operation]
    if operation[0] in (1, 2):
        return [("member", operation[1], cbor2.dumps(operation[2], canonical=True))]
    return [("life",)] if operation[0] in (3, 4) else []


def check_operation(item):
    if isinstance(item, dict):
        need(1 <= len(item) <= 64, "too few or many fields")
        value(item, 4)
        return
    need(isinstance(item, (list, tuple)) and 1 <= len(item) <= 64, "not an operation")
    number(item[0], 1)
    if item[0] in (1, 2):
        need(len(item) == 3, "not an addition")
        name(item[1])
    elif item[0] in (3, 4):
        need(len(item) == 1, "not a deletion")
    for part in item[1:]:
        value(part, 5)


def event(item, size):
    need(size <= 65_536, "too long")
    need(isinstance(item, dict) and len(item) <= 64, "not a map")
    for key in item:
        number(key, 0)
    need(all(key in item for key in range(7)), "a key is missing")
    identifier(item[0])
    number(item[1], 1)
    base = item[2]
    need(isinstance(base, (list, tuple)) and len(base) == 2, "not a base")
    number(base[0], 0, 2**32 - 1)
    number(base[1], 0)
    need(base[0] != 0 or base[1] == 0, "a base of no epoch")
    number(item[3], -(2**63))
    name(item[4])
    number(item[5], 1)
    changes = item[6]
    need(isinstance(changes, (list, tuple)) and 1 <= len(changes) <= 64, "no changes")
    seen = []
    for change in changes:
        need(isinstance(change, (list, tuple)) and 3 <= len(change) <= 66, "not a change")
        name(change[0])
        identifier(change[1])
        need(change[:2] not in seen, "an entity twice")
        seen.append(change[:2])
        written = []
        for operation in change[2:]:
            check_operation(operation)
            written += cells(operation)
        need(len(set(written)) == len(written), "a cell twice")
    if 7 in item:
        identifier(item[7])
    for key, part in item.items():
        if key > 7:
            value(part, 2)


def judge(kind, data):
    try:
        item = loaded(data)
        if kind == "event":
            event(item, len(data))
        else:
            value(item, 1)
        return "accepted", ""
    except Refused as error:
        return "refused", str(error)


judged = differing = 0
for line in sys.stdin:
    kind, digits, ours = line.rstrip("\n").split(" ")
    theirs, why = judge(kind, bytes.fromhex(digits))
    judged += 1
    if theirs != ours:
        differing += 1
        print(f"{kind} {digits}: we {ours}, the second opinion {theirs} {why}")
print(f"{judged} judged, {differing} differ")
