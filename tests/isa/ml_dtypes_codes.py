"""Converts f32 numbers with ml_dtypes, for ml_dtypes_test.

usage: ml_dtypes_codes.py TYPE INPUTS CODES VALUES

Reads little-endian f32 from INPUTS, writes their codes, one a byte, to CODES, and the f32 values of
all 256 bytes (NaN for bytes that are no code) to VALUES. Ends with 77 when ml_dtypes is missing.
"""

import sys

try:
    import ml_dtypes
    import numpy
except ImportError:
    sys.exit(77)

WIDTHS = {"float8_e4m3fn": 8, "float8_e5m2": 8, "float6_e3m2fn": 6, "float6_e2m3fn": 6, "float4_e2m1fn": 4}


def main(name, inputs, codes, values):
    try:
        dtype = numpy.dtype(getattr(ml_dtypes, name))
    except AttributeError:  # an older release
        return 77
    numpy.fromfile(inputs, dtype="<f4").astype(dtype).view(numpy.uint8).tofile(codes)
    table = numpy.full(256, numpy.nan, dtype="<f4")
    count = 1 << WIDTHS[name]
    table[:count] = numpy.arange(count, dtype=numpy.uint8).view(dtype).astype("<f4")
    table.tofile(values)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
