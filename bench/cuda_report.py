"""Turns one run of bench/cuda_layer into a JSON record and a table.

    cuda_report.py FOLDER OUTPUT.json     FOLDER holds what the run left: header, checks, lines
    cuda_report.py --table RECORD.json    prints the table of a record as Markdown

Floors and targets are those of the CUDA design: 766 TFLOP/s, 4.17 TB/s, F = 6RHI.
"""

import json
import pathlib
import sys

SHAPES = {  # H, I, E, K
    "qwen3-30b-a3b": (2048, 768, 128, 8),
    "gpt-oss-20b": (2880, 2880, 32, 4),
    "dsv4-flash": (4096, 2048, 256, 6),
}
PEAK_TFLOPS = 766.0
PEAK_TBS = 4.17
BYTES_PER_WEIGHT = {"bf16": 2.0, "mxfp8_b8": 1.125, "mxfp8_b32": 1.03125, "mxfp4_b32": 0.53125}
# Milliseconds of the whole forward with BF16 weights: (limit, required or goal).
NEED = {
    ("qwen3-30b-a3b", 1): (0.045, "required"),
    ("qwen3-30b-a3b", 64): (0.356, "required"),
    ("qwen3-30b-a3b", 1024): (0.365, "goal"),
    ("qwen3-30b-a3b", 4096): (0.538, "goal"),
    ("qwen3-30b-a3b", 16384): (2.15, "required"),
    ("qwen3-30b-a3b", 65536): (8.61, "required"),
    ("gpt-oss-20b", 1024): (0.481, "goal"),
    ("gpt-oss-20b", 16384): (5.68, "required"),
    ("dsv4-flash", 1): (0.115, "required"),
    ("dsv4-flash", 64): (3.02, "required"),
    ("dsv4-flash", 1024): (3.87, "goal"),
    ("dsv4-flash", 8192): (4.31, "goal"),
    ("dsv4-flash", 65536): (34.4, "required"),
}


def work(shape, tokens, fmt):
    """FLOP and bytes of one forward: active weights once, x and y once."""
    hidden, inter, experts, top_k = SHAPES[shape]
    active = experts * (1 - (1 - top_k / experts) ** tokens)
    flop = 6.0 * tokens * top_k * hidden * inter
    size = 3 * hidden * inter * active * BYTES_PER_WEIGHT[fmt] + 4 * tokens * hidden
    return flop, size


def judge(row, peers):
    """Name and verdict of the target that applies to a row, or None."""
    shape, tokens, fmt, ms = row["shape"], row["tokens"], row["format"], row["ms"]
    flop, size = work(shape, tokens, fmt)
    if fmt == "bf16":
        if (shape, tokens) not in NEED:
            return None
        limit, kind = NEED[shape, tokens]
    elif tokens <= 64:  # 60 % of copy bandwidth in packed bytes
        limit, kind = size / (0.6 * PEAK_TBS * 1e9), "required"
    elif tokens <= 1024:  # never slower than BF16 weights
        limit, kind = peers.get((shape, tokens)), "required"
    elif tokens >= 16384:  # 65 % of the matmul rate
        limit, kind = flop / (0.65 * PEAK_TFLOPS * 1e9), "required"
    else:
        return None
    if limit is None:
        return None
    return {"need_ms": round(limit, 5), "kind": kind, "met": ms <= limit}


def read_lines(path):
    return [line.split("\t") for line in path.read_text().splitlines() if line and line[0] != "#"]


def read_checks(folder):
    checks = []
    for path in sorted(folder.glob("*_test.json")):
        report = json.loads(path.read_text())
        results = [test for suite in report["testsuites"] for test in suite["testsuite"]]
        skipped = sorted(t["classname"] + "." + t["name"] for t in results if t["result"] == "SKIPPED")
        checks.append({
            "test": path.stem,
            "passed": sum(t["result"] == "COMPLETED" and "failures" not in t for t in results),
            "failed": sum("failures" in t for t in results),
            "skipped": skipped,
        })
    return checks


def build(folder):
    header = dict(line.split("=", 1) for line in (folder / "header").read_text().splitlines())
    baseline, ceilings = {}, {}
    for fields in read_lines(folder / "baseline.tsv"):
        name, tokens, path = fields[0], int(fields[1]), fields[2]
        if name in ("copy", "matmul"):
            ceilings[name] = {"rate": path, "ms": float(fields[3])}
        elif not fields[3].startswith("failed"):
            baseline[name, tokens, path] = float(fields[3])
    rows = []
    for f in read_lines(folder / "ours.tsv"):
        rows.append({"shape": f[0], "tokens": int(f[1]), "format": f[2], "phase": f[3],
                     "ms": float(f[4]), "min_ms": float(f[5]), "max_ms": float(f[6]),
                     "samples": int(f[7]), "noise": float(f[8]), "token_tile": int(f[9]),
                     "plan": f[10]})
    peers = {(r["shape"], r["tokens"]): r["ms"] for r in rows
             if r["format"] == "bf16" and r["phase"] == "all"}
    for row in rows:
        if row["phase"] != "all" or row["shape"] not in SHAPES:
            continue
        flop, size = work(row["shape"], row["tokens"], row["format"])
        row["tflop_s"] = round(flop / row["ms"] / 1e9, 1)
        row["tb_s"] = round(size / row["ms"] / 1e9, 3)
        base = baseline.get((row["shape"], row["tokens"], "grouped_mm"))
        if base is not None:
            row["baseline_ms"] = base
        target = judge(row, peers)
        if target is not None:
            row["target"] = target
    return {
        "schema": "moescope.cuda_layer", "version": 1,
        **{key: header[key] for key in ("date", "commit", "sources", "command")},
        "device": {key: header[key] for key in ("card", "state_before", "state_after")},
        "checks": read_checks(folder),
        "ceilings": ceilings,
        "per_expert_products_ms": {f"{n} {t}": ms for (n, t, p), ms in baseline.items()
                                   if p == "cublas_products"},
        "rows": rows,
    }


def text_of(record):
    """JSON with one line per row."""
    rows = record.pop("rows")
    head = json.dumps(record, indent=1)
    record["rows"] = rows
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    return head.removesuffix("\n}") + ',\n "rows": [\n  ' + lines + "\n ]\n}\n"


def table(record):
    print("| shape | T | format | ms | min..max | noise % | TFLOP/s | % 766 | TB/s | % 4.17 | base ms | x "
          "| need ms | target |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for r in record["rows"]:
        if r["phase"] != "all" or "tflop_s" not in r:
            continue
        base = r.get("baseline_ms")
        target = r.get("target")
        verdict = "" if target is None else f"{'met' if target['met'] else 'missed'} ({target['kind']})"
        print(f"| {r['shape']} | {r['tokens']} | {r['format']} | {r['ms']:.4f} "
              f"| {r['min_ms']:.4f}..{r['max_ms']:.4f} | {100 * r['noise']:.1f} | {r['tflop_s']:.0f} "
              f"| {100 * r['tflop_s'] / PEAK_TFLOPS:.0f} | {r['tb_s']:.2f} "
              f"| {100 * r['tb_s'] / PEAK_TBS:.0f} | {'' if base is None else format(base, '.3f')} "
              f"| {'' if base is None else format(base / r['ms'], '.2f')} "
              f"| {'' if target is None else format(target['need_ms'], '.4g')} | {verdict} |")
    phases = [r for r in record["rows"] if r["phase"] != "all"]
    if phases:
        print("\n| shape | T | format | dispatch | gate_up | down | combine | sum | whole |")
        print("|---|---|---|---|---|---|---|---|---|")
    whole = {(r["shape"], r["tokens"], r["format"]): r["ms"] for r in record["rows"] if r["phase"] == "all"}
    by_case = {}
    for r in phases:
        by_case.setdefault((r["shape"], r["tokens"], r["format"]), {})[r["phase"]] = r["ms"]
    for key, parts in by_case.items():
        cells = " | ".join(f"{parts.get(p, 0):.4f}" for p in ("dispatch", "gate_up", "down", "combine"))
        print(f"| {key[0]} | {key[1]} | {key[2]} | {cells} | {sum(parts.values()):.4f} | {whole[key]:.4f} |")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--table":
        table(json.loads(pathlib.Path(sys.argv[2]).read_text()))
        return
    if len(sys.argv) != 3:
        sys.exit("usage: cuda_report.py FOLDER OUTPUT.json | cuda_report.py --table RECORD.json")
    record = build(pathlib.Path(sys.argv[1]))
    pathlib.Path(sys.argv[2]).write_text(text_of(record))
    table(record)


if __name__ == "__main__":
    main()
