#!/usr/bin/env python3
"""Compares results of the CPU reference with PyTorch on the CPU.

usage: agreement.py FOLDER

FOLDER holds cases.json and tensors.bin (tensor_file.h). Everything is computed here a second time
in FP64 with PyTorch's own functions, a stable sort and autograd. Prints the largest figures per
kind of case and exits 1 when one is outside its bound.
"""

import json
import math
import os
import sys

import torch
import torch.nn.functional as F

# Largest relative L2 errors. FP64 results agree to rounding. FP32 ones have the reference's BF16
# rounding points, of which four lie on the way to y, 2^-9 each; the gradients have more of them and
# are bounded as in moe.md, 14: cosine > 0.9999, which is a relative error of sqrt(2e-4).
BOUND_F64 = 1e-11
BOUND_ROUTER_F32 = 2e-6
BOUND_OUTPUT = 4 * 2.0**-9
BOUND_GRADIENT = math.sqrt(2e-4)
# With a clamp a gate that rounding moves onto the limit passes its whole gradient ("the boundary
# passes", moe.md, 9.3), so single elements differ by themselves.
BOUND_CLAMPED = 8e-2

TYPES = {"f32": torch.float32, "f64": torch.float64, "i32": torch.int32, "u8": torch.uint8}


class Case:
    def __init__(self, entry, data):
        self.entry = entry
        self.data = data

    def __getitem__(self, key):
        return self.entry[key]

    def get(self, key, default=None):
        return self.entry.get(key, default)

    def has(self, name):
        return name in self.entry["tensors"]

    def tensor(self, name):
        """The tensor as stored; FP32 is widened, so that all arithmetic here is FP64."""
        place = self.entry["tensors"][name]
        count = math.prod(place["shape"])
        if count == 0:
            return torch.zeros(place["shape"], dtype=torch.float64)
        raw = torch.frombuffer(self.data, dtype=TYPES[place["type"]], count=count,
                               offset=place["offset"])
        raw = raw.reshape(place["shape"]).clone()
        return raw.double() if place["type"] == "f32" else raw

    def leaf(self, name):
        return self.tensor(name).double().requires_grad_(True)


class Report:
    def __init__(self):
        self.worst = {}
        self.failed = False

    def add(self, figure, error, bound, where):
        worst = self.worst.get(figure, (0.0, bound, 0))
        self.worst[figure] = (max(worst[0], error), bound, worst[2] + 1)
        if not error <= bound:
            self.failed = True
            print(f"DIFFERS: {where}: {figure}: {error:.3e} is above {bound:.1e}")

    def compare(self, figure, actual, expected, bound, where):
        actual = actual.double()
        expected = expected.double().reshape(actual.shape)
        norm = expected.norm().item()
        error = (actual - expected).norm().item()
        self.add(figure, error / norm if norm > 0 else error, bound, where)

    def equal(self, figure, actual, expected, where):
        different = int((actual != expected).sum().item())
        self.add(figure, float(different), 0.0, where)


def activation(name, gate, up):
    if name == "swiglu":
        return F.silu(gate) * up
    if name == "gpt_oss":
        slope = float(torch.tensor(1.702, dtype=torch.float32))
        return gate * torch.sigmoid(slope * gate) * (up + 1)
    if name == "geglu_tanh":
        slope = float(torch.tensor(0.79788456, dtype=torch.float32))
        cubic = float(torch.tensor(0.044715, dtype=torch.float32))
        return 0.5 * gate * (1 + torch.tanh(slope * (gate + cubic * gate**3))) * up
    return F.gelu(gate) * up


def hidden_of(case, gate, up):
    limit = case.get("clamp")
    if limit is not None:
        gate = gate.clamp(max=limit)
        up = up.clamp(min=-limit, max=limit)
    return activation(case["activation"], gate, up)


def layer_output(case, x, w, lora=None):
    """y [T, H] in FP64; `lora` holds the six factors."""
    idx = case.tensor("idx")
    gate, up, down = case.tensor("gate"), case.tensor("up"), case.tensor("down")
    rows = []
    for t in range(idx.shape[0]):
        y = torch.zeros(down.shape[1], dtype=torch.float64)
        for k in range(idx.shape[1]):
            e = int(idx[t, k])
            if e < 0:
                continue
            v = x[t] * w[t, k] if case["weighting"] == "input" else x[t]
            w1, w3, w2 = gate[e], up[e], down[e]
            if lora is not None:
                s = case["lora_scale"]
                w1 = w1 + s * lora["b1"][e] @ lora["a1"]
                w3 = w3 + s * lora["b3"][e] @ lora["a3"]
                w2 = w2 + s * lora["b2"] @ lora["a2"][e]
            g, u = w1 @ v, w3 @ v
            if case.has("b1"):
                g, u = g + case.tensor("b1")[e], u + case.tensor("b3")[e]
            h = hidden_of(case, g, u)
            o = w2 @ h
            if case.has("b1"):
                o = o + case.tensor("b2")[e]
            y = y + (o if case["weighting"] == "input" else o * w[t, k])
        if case.has("shared_gate"):
            h = hidden_of(case, case.tensor("shared_gate") @ x[t], case.tensor("shared_up") @ x[t])
            ys = case.tensor("shared_down") @ h
            if case.has("wg"):
                ys = ys * torch.sigmoid(case.tensor("wg")[0] @ x[t])
            y = y + ys
        rows.append(y)
    return torch.stack(rows)


def check_forward(case, report):
    y = layer_output(case, case.tensor("x"), case.tensor("w"))
    report.compare("forward y f64", case.tensor("y_f64"), y, BOUND_F64, case["name"])
    report.compare("forward y f32", case.tensor("y_f32"), y, BOUND_OUTPUT, case["name"])


def check_backward(case, report):
    x, w = case.leaf("x"), case.leaf("w")
    lora = {"a1": case.leaf("a1"), "a3": case.leaf("a3"), "b2": case.leaf("b2_factor"),
            "b1": case.leaf("b1_factor"), "b3": case.leaf("b3_factor"), "a2": case.leaf("a2")}
    y = layer_output(case, x, w, lora)
    report.compare("LoRA forward y f64", case.tensor("y_f64"), y.detach(), BOUND_F64, case["name"])
    y.backward(case.tensor("dy"))
    gradients = {"dx": x.grad, "dw": w.grad}
    gradients.update({"d" + name: factor.grad for name, factor in lora.items()})
    clamped = case.get("clamp") is not None
    narrow = ("f32 clamped", BOUND_CLAMPED) if clamped else ("f32", BOUND_GRADIENT)
    for name, gradient in gradients.items():
        for kind, bound in (("f64", BOUND_F64), narrow):
            report.compare(f"backward {name} {kind}", case.tensor(f"{name}_{kind[:3]}"), gradient,
                           bound, case["name"])


def route(case, logits):
    """Ids by a stable descending sort, weights, and the scores of all experts."""
    mode, k = case["mode"], case["top_k"]
    if mode.startswith("softmax"):
        scores = torch.softmax(logits, dim=-1)
        keys = logits
    elif mode == "sqrtsoftplus":
        scores = torch.sqrt(F.softplus(logits))
        keys = scores
    else:
        scores = torch.sigmoid(logits)
        keys = logits if mode == "sigmoid_input" else scores
    if case.has("bias_corr"):
        keys = keys + case.tensor("bias_corr")
    keys = keys.detach().clone()
    groups = case["groups"]
    if groups > 1:
        grouped = keys.reshape(keys.shape[0], groups, -1)
        best = grouped.sort(dim=-1, descending=True, stable=True).values[..., :2].sum(-1)
        order = best.sort(dim=-1, descending=True, stable=True).indices
        for t in range(keys.shape[0]):
            for group in order[t, case["topk_group"]:]:
                grouped[t, group] = -math.inf
        keys = grouped.reshape(keys.shape)
    ids = keys.sort(dim=-1, descending=True, stable=True).indices[:, :k]
    chosen = scores.gather(1, ids)
    if mode == "softmax_topk" or (mode == "softmax_all" and case["norm"]):
        weights = torch.softmax(logits.gather(1, ids), dim=-1)
    elif mode in ("sigmoid_group", "sqrtsoftplus"):
        weights = chosen
        if case["norm"]:
            weights = weights / (weights.sum(-1, keepdim=True) + 1e-20)
        weights = weights * case["scale"]
    else:
        weights = chosen
    return ids, weights, scores


def check_router(case, report):
    name = case["name"]
    logits = case.tensor("x") @ case.tensor("router").T
    if case.has("br"):
        logits = logits + case.tensor("br")
    report.compare("router logits f32", case.tensor("logits"), logits, BOUND_ROUTER_F32, name)
    # From here on with the reference's own logits, so that no choice can differ by rounding.
    leaf = case.leaf("logits")
    ids, weights, scores = route(case, leaf)
    report.equal("router ids", case.tensor("idx").long(), ids, name)
    report.compare("router weights f64", case.tensor("w_f64"), weights.detach(), BOUND_F64, name)
    report.compare("router weights f32", case.tensor("w"), weights.detach(), BOUND_ROUTER_F32, name)
    weights.backward(case.tensor("dw"), retain_graph=True)
    report.compare("router gradient f64", case.tensor("dl_f64"), leaf.grad, BOUND_F64, name)
    report.compare("router gradient f32", case.tensor("dl_f32"), leaf.grad, 1e-5, name)

    experts, tokens = leaf.shape[1], leaf.shape[0]
    counts = torch.bincount(ids.reshape(-1), minlength=experts).double()
    f = experts / (case["top_k"] * tokens) * counts
    p = (scores / scores.sum(-1, keepdim=True)).mean(0)
    aux = 0.5 * (f * p).sum()
    z = 0.25 * (torch.logsumexp(leaf, dim=-1) ** 2).mean()
    report.add("aux loss f64", abs(case["aux"] - aux.item()) / abs(aux.item()), BOUND_F64, name)
    report.add("z loss f64", abs(case["z"] - z.item()) / abs(z.item()), BOUND_F64, name)
    leaf.grad = None
    (aux + z).backward()
    report.compare("losses gradient f64", case.tensor("losses_dl"), leaf.grad, BOUND_F64, name)


def small_float(code, exponent_bits, fraction_bits, bias):
    fraction = code & ((1 << fraction_bits) - 1)
    exponent = (code >> fraction_bits) & ((1 << exponent_bits) - 1)
    significand = fraction / (1 << fraction_bits) + (1 if exponent else 0)
    sign = -1.0 if code >> (exponent_bits + fraction_bits) & 1 else 1.0
    return sign * significand * 2.0 ** (max(exponent, 1) - bias)


E4M3 = torch.tensor([small_float(c, 4, 3, 7) for c in range(256)], dtype=torch.float64)
E2M1 = torch.tensor([small_float(c, 2, 1, 1) for c in range(16)], dtype=torch.float64)


def decode(case):
    """W13 [2I, H] from its stored bytes."""
    rows, columns = (64, 64) if case["output_major"] else (64, 64)  # 2 I = H = 64
    raw = case.tensor("elements")
    if case["format"] == "bf16":
        bits = raw.to(torch.int64)
        words = (bits[1::2] << 24 | bits[0::2] << 16)
        words = torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)
        values = words.view(torch.float32).double()
    elif case["format"] == "mxfp4_b32":
        codes = torch.stack((raw & 15, raw >> 4), dim=1).reshape(-1)
        values = E2M1[codes.long()]
    else:
        values = E4M3[raw.long()]
    if case["format"] != "bf16":
        block = 8 if case["format"] == "mxfp8_b8" else 32
        scales = 2.0 ** (case.tensor("scales").double() - 127)
        values = values * scales.repeat_interleave(block)
    matrix = values.reshape(rows, columns)
    return matrix if case["output_major"] else matrix.T


def check_format(case, report):
    w13 = decode(case)
    half = w13.shape[0] // 2
    if case["layout"] == "halves":
        gate, up = w13[:half], w13[half:]
    elif case["layout"] == "interleaved":
        gate, up = w13[0::2], w13[1::2]
    else:
        pieces = w13.reshape(-1, 2, 8, w13.shape[1])
        gate, up = pieces[:, 0].reshape(half, -1), pieces[:, 1].reshape(half, -1)
    report.equal("decoded weights, elements that differ", case.tensor("gate"), gate, case["name"])
    report.equal("decoded weights, elements that differ", case.tensor("up"), up, case["name"])


CHECKS = {"forward": check_forward, "backward": check_backward, "router": check_router,
          "format": check_format}


def main():
    folder = sys.argv[1]
    torch.set_num_threads(1)
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
        entries = json.load(file)["cases"]
    with open(os.path.join(folder, "tensors.bin"), "rb") as file:
        data = bytearray(file.read())
    report = Report()
    for entry in entries:
        CHECKS[entry["kind"]](Case(entry, data), report)
    print(f"PyTorch {torch.__version__}: {len(entries)} cases; largest relative L2 error:")
    for figure, (error, bound, count) in report.worst.items():
        print(f"  {figure:40s} {error:9.2e}  bound {bound:.1e}  ({count} comparisons)")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
