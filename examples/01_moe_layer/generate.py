#!/usr/bin/env python3
"""Writes the images and the expected results of this example.

    generate.py [FOLDER]      # default: the folder of this file

Needs nothing but Python. The expected values are computed here from the layer's definition, not by
moescope: each output of a matrix product is a chain of float32 additions in ascending order, and results
round to bf16 where the program writes them.
"""

import math
import os
import struct
import sys

TOKENS, WIDTH, EXPERTS, TOP_K, BLOCK = 4, 64, 8, 2, 8


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bf16_bits(x):
    """Nearest bf16, ties to even; finite x."""
    u = struct.unpack("<I", struct.pack("<f", x))[0]
    return (u + 0x7FFF + (u >> 16 & 1)) >> 16


def bf(x):
    return struct.unpack("<f", struct.pack("<I", bf16_bits(x) << 16))[0]


class Random:
    """splitmix64: the same numbers everywhere."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) % n


def matrix(random, rows, columns, steps):
    """Multiples of 1/steps in [-1, 1]."""
    return [[(random.below(2 * steps + 1) - steps) / steps for _ in range(columns)] for _ in range(rows)]


# ---- MXFP8: E4M3 elements with one E8M0 scale byte per 8 of a row, rule `floor` -------------------

E4M3 = {}
for code in range(0x7F):
    exponent, mantissa = code >> 3, code & 7
    E4M3[mantissa * 2.0**-9 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)] = code


def encode_mxfp8(rows):
    elements, scales = bytearray(), bytearray()
    for row in rows:
        for start in range(0, len(row), BLOCK):
            block = row[start : start + BLOCK]
            largest = max(abs(x) for x in block)
            p = -127 if largest == 0 else math.frexp(largest)[1] - 1 - 8
            scales.append(p + 127)
            for x in block:
                sign = 0x80 if math.copysign(1, x) < 0 else 0
                elements.append(sign | E4M3[abs(x) * 2.0**-p])  # a value that is not exact has no entry
    return bytes(elements + scales)


def encode_bf16(rows):
    return b"".join(struct.pack("<H", bf16_bits(x)) for row in rows for x in row)


def aligned(data, boundary=64):
    return data + bytes(-len(data) % boundary)


# ---- The layer ---------------------------------------------------------------------------------


def product(x, w):
    """bf16 of the row x times the matrix w. A double holds s + x * w exactly, so f32 rounds it once."""
    out = []
    for n in range(WIDTH):
        s = 0.0
        for k in range(WIDTH):
            s = f32(s + x[k] * w[k][n])
        out.append(bf(s))
    return out


def silu_times(gate, up):
    out = []
    for g, u in zip(gate, up):
        t = bf(f32(math.exp(max(-88.0, min(88.0, bf(-g))))))
        t = bf(f32(1 / bf(f32(t + 1))))
        out.append(bf(f32(u * bf(f32(g * t)))))
    return out


def expert(x, weights):
    gate, up, down = weights
    return product(silu_times(product(x, gate), product(x, up)), down)


def route(logits):
    order = sorted(range(EXPERTS), key=lambda e: (-logits[e], e))[:TOP_K]
    shares = [f32(math.exp(logits[e] - logits[order[0]])) for e in order]
    total = 0.0
    for share in shares:
        total = f32(total + share)
    return order, [bf(f32(share / total)) for share in shares]


def layer(x, router, experts, shared):
    """Output rows, chosen experts and route weights."""
    outputs, ids, weights = [], [], []
    for row in x:
        chosen, share = route(product(row, router))
        total = [0.0] * WIDTH
        for e, w in zip(chosen, share):
            total = [bf(f32(t + bf(f32(o * w)))) for t, o in zip(total, expert(row, experts[e]))]
        outputs.append([bf(f32(t + o)) for t, o in zip(total, expert(row, shared))])
        ids += chosen
        weights += share
    return outputs, ids, weights


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    random = Random(1)
    x = matrix(random, TOKENS, WIDTH, 2)
    router = matrix(random, WIDTH, WIDTH, 4)
    experts = [[matrix(random, WIDTH, WIDTH, 4) for _ in range(3)] for _ in range(EXPERTS)]
    shared = [matrix(random, WIDTH, WIDTH, 4) for _ in range(3)]

    hbm = aligned(encode_mxfp8(x)) + encode_bf16(router)
    for part in range(3):
        hbm += b"".join(aligned(encode_mxfp8(triple[part])) for triple in experts)
    hbm += b"".join(aligned(encode_mxfp8(m)) for m in shared)

    outputs, ids, weights = layer(x, router, experts, shared)
    files = {
        "hbm.bin": hbm,
        "fpsram.bin": struct.pack("<2e", 1.0, -1.0),
        "expected_output.f32": b"".join(struct.pack("<f", v) for row in outputs for v in row),
        "expected_ids.u32": b"".join(struct.pack("<I", e) for e in ids),
        "expected_weights.f32": b"".join(struct.pack("<f", w) for w in weights),
    }
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    print("experts per token:", [ids[TOP_K * t : TOP_K * t + TOP_K] for t in range(TOKENS)])


if __name__ == "__main__":
    main()
