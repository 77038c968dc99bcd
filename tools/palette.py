"""A screenshot in at most 256 colours: a third of the size, and text looks the same."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

COLOURS = 256


def shrink(path: Path) -> None:
    """Rewrite a PNG as browsers make them (8 bits per channel, not interlaced) with a palette."""
    pixels = _read(path.read_bytes())
    height, width, _ = pixels.shape
    flat = pixels[:, :, :3].reshape(-1, 3).astype(np.int64)
    tones, place, count = np.unique(flat @ [1 << 16, 1 << 8, 1], return_inverse=True, return_counts=True)
    colours = np.stack([tones >> 16, (tones >> 8) & 255, tones & 255], axis=1)
    # Grounds and inks are kept as they are, then one tone of each hue; the others become the nearest of these.
    often = np.argsort(-count)
    hues = (colours[often] >> 5) @ [64, 8, 1]
    _, first = np.unique(hues, return_index=True)
    kept = list(dict.fromkeys([*often[: COLOURS // 2], *often[np.sort(first)], *often]))[:COLOURS]
    palette = colours[kept]
    nearest = ((colours[:, None] - palette[None]) ** 2).sum(axis=2).argmin(axis=1)
    place = nearest[place.reshape(-1)]
    rows = np.zeros((height, width + 1), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = place.reshape(height, width)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _read(data: bytes) -> np.ndarray:
    at, packed, width, height, channels = 8, b"", 0, 0, 3
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height, _, kind = struct.unpack_from(">IIBB", body)
            channels = {2: 3, 6: 4}[kind]
        elif name == b"IDAT":
            packed += body
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    pixels = np.zeros((height, width * channels), np.uint8)
    above = np.zeros(width * channels, np.uint8)
    for y, row in enumerate(rows):
        above = pixels[y] = _unfiltered(row[0], row[1:], above, channels)
    return pixels.reshape(height, width, channels)


def _unfiltered(kind: int, row: np.ndarray, above: np.ndarray, step: int) -> np.ndarray:
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return row + above
    out = bytearray(len(row))
    for i, value in enumerate(row.tolist()):
        left = out[i - step] if i >= step else 0
        up = int(above[i])
        corner = int(above[i - step]) if i >= step else 0
        if kind == 3:
            guess = (left + up) // 2
        else:
            near = left + up - corner
            guess = min((left, up, corner), key=lambda one, near=near: abs(near - one))
        out[i] = (value + guess) & 255
    return np.frombuffer(bytes(out), np.uint8)
