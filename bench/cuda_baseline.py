"""Ceilings of the card, and the same layer through PyTorch: a grouped_mm layer and one matmul per
expert (cuBLAS). Prints tab-separated lines: name, tokens, path, median, minimum and maximum in ms,
samples. Called by bench/cuda_layer; needs torch and a device.

    cuda_baseline.py [SHAPE]... [-- TOKENS...]
"""

import statistics
import sys

import torch

SHAPES = {
    "qwen3-30b-a3b": (2048, 768, 128, 8),
    "gpt-oss-20b": (2880, 2880, 32, 4),
    "dsv4-flash": (4096, 2048, 256, 6),
}


def timed(call, samples=30, sets=1):
    """Median, minimum and maximum of graph replays; `call(i)` runs on input set i."""
    graphs = []
    for i in range(sets):
        for _ in range(2):
            call(i)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            call(i)
        graphs.append(graph)
    for graph in graphs * 3:
        graph.replay()
    times = []
    for _ in range(samples):
        start = torch.cuda.Event(enable_timing=True)
        stop = torch.cuda.Event(enable_timing=True)
        start.record()
        for graph in graphs:
            graph.replay()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) / len(graphs))
    return statistics.median(times), min(times), max(times), samples


def report(name, tokens, path, result):
    print(f"{name}\t{tokens}\t{path}\t" + "\t".join(f"{v:.5f}" for v in result[:3]) + f"\t{result[3]}", flush=True)


def ceilings():
    source = torch.randn(1 << 30, device="cuda")
    target = torch.empty_like(source)
    times = []
    for _ in range(20):  # eager: in a graph the copy would be a node of the copy engine
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(4):
            target.copy_(source)
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) / 4)
    result = statistics.median(times), min(times), max(times), len(times)
    report("copy", 1 << 32, f"{2 * (1 << 32) / result[0] / 1e9:.3f}TB/s", result)
    del source, target
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    out = torch.empty_like(a)
    result = timed(lambda _: torch.matmul(a, b.T, out=out), 20)
    report("matmul", 8192, f"{2 * 8192**3 / result[0] / 1e9:.0f}TFLOP/s", result)


@torch.compile(dynamic=True)
def activate(both):
    gate, up = both.chunk(2, dim=-1)
    return torch.nn.functional.silu(gate) * up


def grouped_layer(x, idx, weight, w13, w2):
    tokens, top_k = idx.shape
    flat = idx.flatten()
    order = torch.argsort(flat, stable=True)
    counts = torch.zeros(w13.shape[0], dtype=torch.int64, device=flat.device)
    counts.scatter_add_(0, flat, torch.ones_like(flat))
    offsets = torch.cumsum(counts, 0).to(torch.int32)
    rows = x[order // top_k]
    hidden = activate(torch._grouped_mm(rows, w13.transpose(1, 2), offs=offsets))
    out = torch._grouped_mm(hidden, w2.transpose(1, 2), offs=offsets)
    out = out * weight.flatten()[order].unsqueeze(1)
    slots = torch.empty_like(out)
    slots[order] = out.to(slots.dtype)
    return slots.view(tokens, top_k, -1).sum(1)


def baseline(name, token_counts):
    hidden, inter, experts, top_k = SHAPES[name]
    w13 = torch.randn(experts, 2 * inter, hidden, device="cuda", dtype=torch.bfloat16) * hidden**-0.5
    w2 = torch.randn(experts, hidden, inter, device="cuda", dtype=torch.bfloat16) * inter**-0.5
    for tokens in token_counts:
        x = torch.randn(tokens, hidden, device="cuda", dtype=torch.bfloat16)
        idx = torch.rand(tokens, experts, device="cuda").topk(top_k).indices
        weight = torch.rand(tokens, top_k, device="cuda", dtype=torch.bfloat16)
        try:
            report(name, tokens, "grouped_mm", timed(lambda _: grouped_layer(x, idx, weight, w13, w2), 15))
        except Exception as error:
            print(f"{name}\t{tokens}\tgrouped_mm\tfailed: {str(error)[:160]!r}", flush=True)


def per_expert(name, tokens):
    """Only the two products, one cuBLAS call per expert with equal group sizes."""
    hidden, inter, experts, top_k = SHAPES[name]
    rows = max(tokens * top_k // experts, 1)
    x = torch.randn(experts, rows, hidden, device="cuda", dtype=torch.bfloat16)
    h = torch.randn(experts, rows, inter, device="cuda", dtype=torch.bfloat16)
    w13 = torch.randn(experts, 2 * inter, hidden, device="cuda", dtype=torch.bfloat16)
    w2 = torch.randn(experts, hidden, inter, device="cuda", dtype=torch.bfloat16)

    def products(_):
        for e in range(experts):
            torch.matmul(x[e], w13[e].T)
            torch.matmul(h[e], w2[e].T)

    report(name, tokens, "cublas_products", timed(products, 10))


if __name__ == "__main__":
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    shapes = sys.argv[1:split] or list(SHAPES)
    counts = [int(t) for t in sys.argv[split + 1 :]] or [1, 16, 64, 256, 1024, 4096, 8192, 16384, 65536]
    print("device", torch.cuda.get_device_name(0), "torch", torch.__version__, file=sys.stderr)
    ceilings()
    for shape in shapes:
        baseline(shape, counts)
        per_expert(shape, 16384)
