"""Bad inputs: files damaged, cut, swapped and filled with what does not belong there, from a seed."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import zlib

import numpy as np

#: Of all generated inputs: `DPMIA_TEST_SEED=7 pytest ...` tries others.
SEED = int(os.environ.get("DPMIA_TEST_SEED", "0"))

#: What fields may hold that is no plain value.
CELLS = (
    *("", " ", "?", "NA", "nan", "NaN", "inf", "-inf", "1e308", "-1e308", "1e39", "1e-400", "9" * 400, "0x10", "1_000"),
    *("999999999999", "-1", "0", "1", "2", "1.5", "1,5", "1e5", "+1", "--1", "١٢", "１", "½", "true", "None", "=1+1"),
    *("yes", "no", "a\0b", "\ufeff", "\u202e", "\x1b[31m", "é", "\U0001f600", "a" * 200_000, '"', '""', "'", "\\", ";"),
    *("\t", "\n", "\r", "../../x", "/etc/passwd", "{x}", "<b>", "%s", "$(touch x)", "2**70", str(2**63), str(2**64)),
)

#: Of a header.
_DIGEST = re.compile(r', "digest": "[0-9a-f]+"')

#: What stands where another file should.
OTHERS = (
    b"",
    b" \n",
    b"\0" * 100,
    b"<!doctype html>\n<html><body>404</body></html>\n",
    b"\x89PNG\r\n\x1a\n" + bytes(50),
    b"PK\x03\x04" + bytes(50),
    b"PK\x05\x06" + bytes(18),
    b"\x1f\x8b\x08\x00" + bytes(6),
    b"\x1f\x8b",
    b"{}",
    b",,,,\n,,,,\n",
    b'"',
    b"\xff\xfea\0,\0b\0\n\0",
    b"\x93NUMPY\x01\x00v\x00",
    b"\x80\x04.",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
)


def rng_of(*key):
    """Return the random numbers of one example."""
    return np.random.default_rng([SEED, *(sum(part.encode()) if isinstance(part, str) else part for part in key)])


def any_of(rng, values):
    return values[int(rng.integers(len(values)))]


def damaged(rng, content):
    """Return bytes with one or two damages."""
    for _ in range(int(rng.integers(1, 3))):
        content = any_of(rng, _DAMAGES)(rng, bytes(content))
    return content


def _span(rng, content, most=200):
    start = int(rng.integers(len(content) + 1))
    return start, min(len(content), start + int(rng.integers(1, most)))


def _cut_short(rng, content):
    return content[: int(rng.integers(len(content) + 1))]


def _cut_out(rng, content):
    start, end = _span(rng, content)
    return content[:start] + content[end:]


def _repeat(rng, content):
    start, end = _span(rng, content)
    return content[:end] + content[start:end] * int(rng.integers(1, 4)) + content[end:]


def _flip(rng, content):
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 5))) if changed else ():
        changed[int(rng.integers(len(changed)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _overwrite(rng, content):
    start, end = _span(rng, content)
    filling = any_of(rng, (bytes(end - start), b"\xff" * (end - start), rng.bytes(end - start)))
    return content[:start] + filling + content[end:]


def _insert(rng, content):
    start, _ = _span(rng, content)
    return content[:start] + rng.bytes(int(rng.integers(1, 50))) + content[start:]


def _append(rng, content):
    return content + any_of(rng, (*OTHERS, content, rng.bytes(20)))


def _swap(rng, content):
    (one, end_one), (two, end_two) = sorted((_span(rng, content), _span(rng, content)))
    if end_one > two:
        return content[::-1]
    return content[:one] + content[two:end_two] + content[end_one:two] + content[one:end_one] + content[end_two:]


def _other(rng, content):
    return any_of(rng, OTHERS)


_DAMAGES = (_cut_short, _cut_out, _repeat, _flip, _flip, _overwrite, _insert, _append, _swap, _other)


def squeezed(rng, content):
    """Return a gzip file of the content, damaged or right; two such files after each other are a right one."""
    packed = gzip.compress(content, 1)
    if rng.random() < 0.1:
        return packed
    while _unpacks_otherwise(bad := damaged(rng, packed), content):
        pass
    return bad


def _unpacks_otherwise(packed, content):
    try:
        return gzip.decompress(packed) != content
    except (OSError, EOFError, zlib.error):
        return False


def bad_cells(rng, content, separator=","):
    """Return a table of text with some fields, rows or columns changed."""
    rows = [line.split(separator) for line in content.decode("latin-1").split("\n")]
    for _ in range(int(rng.integers(1, 4))):
        row, kind = any_of(rng, rows), rng.integers(8)
        if kind < 4 and row:
            row[int(rng.integers(len(row)))] = any_of(rng, CELLS)
        elif kind == 4:
            row.insert(int(rng.integers(len(row) + 1)), any_of(rng, CELLS))
        elif kind == 5 and row:
            del row[int(rng.integers(len(row)))]
        elif kind == 6:
            column = int(rng.integers(max(map(len, rows))))
            value = any_of(rng, CELLS)
            for cells in rows[int(rng.integers(2)) :]:
                if column < len(cells):
                    cells[column] = value
        else:
            rows.insert(int(rng.integers(len(rows))), any_of(rng, (row, rows[0], [], [""], list(CELLS[:3]))))
    return "\n".join(separator.join(row) for row in rows).encode("utf-8", "replace")


def bad_arrays(rng, arrays):
    """Return the bytes of an `.npz` file with some of the arrays changed: other shapes, types, values, names."""
    arrays = dict(arrays)
    for _ in range(int(rng.integers(1, 3))):
        name = any_of(rng, list(arrays)) if arrays else "x"
        value = arrays.get(name, np.zeros(3))
        match int(rng.integers(10)):
            case 0:
                arrays.pop(name, None)
            case 1:
                arrays[name] = value.reshape(-1)[: int(rng.integers(max(value.size, 1)))]
            case 2:
                arrays[name] = np.stack([value, value])
            case 3:
                kind = any_of(rng, ("f8", "f4", "i8", "i1", "u1", "U3", "S3", "O", "c16", "?", "M8[s]", ">f4", "f2"))
                with np.errstate(all="ignore"):
                    try:
                        arrays[name] = value.astype(kind)
                    except (ValueError, TypeError):
                        arrays[name] = np.zeros(value.shape, dtype=kind)
            case 4 | 5 if value.dtype.kind in "fiu" and value.size:
                changed = value.copy().reshape(-1)
                bad = any_of(rng, (np.nan, np.inf, -np.inf, -1, 10**9, 3e38, 2))
                if value.dtype.kind != "f":
                    bad = any_of(rng, (0, 1, np.iinfo(value.dtype).max, np.iinfo(value.dtype).min))
                changed[int(rng.integers(value.size))] = bad
                arrays[name] = changed.reshape(value.shape)
            case 6:
                arrays[any_of(rng, ("z", "0/zz", "99/logits", "../x", "a/b/c/d", "é"))] = value
            case 7:
                arrays[name] = np.array(any_of(rng, CELLS[:30]))
            case 8 if "header" in arrays:
                # As if of an earlier version: a digest would be all that is ever checked.
                arrays["header"] = np.array(bad_json(rng, _DIGEST.sub("", str(arrays["header"]))))
            case _:
                other = any_of(rng, list(arrays)) if arrays else name
                arrays[name], arrays[other] = arrays.get(other, value), value
    content = io.BytesIO()
    any_of(rng, (np.savez, np.savez_compressed))(content, **arrays)
    return content.getvalue()


def bad_json(rng, text):
    """Return JSON with one value changed or left out, or a damaged text."""
    try:
        whole = json.loads(text)
    except ValueError:
        return text[:-1]
    places = []

    def walk(node):
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                walk(node[key])

    if not isinstance(whole, dict | list) or not whole or rng.random() < 0.1:
        return damaged(rng, text.encode()).decode("latin-1")
    walk(whole)
    node, key = any_of(rng, places)
    if rng.random() < 0.3:
        del node[key]
    else:
        node[key] = any_of(rng, (None, -1, 0, 1.5, "x", "", [], {}, [1], {"x": 1}, True, 10**30, float("nan")))
    return json.dumps(whole)
