"""A harness as written for the public PLENA emulator: only the command that it starts is swapped.

usage: plena_harness.py FOLDER COMMAND...

FOLDER holds program.mem, program.asm and settings.toml. The harness writes the memory images, runs
COMMAND with the flags of the public emulator in FOLDER, reads the simulated time and the HBM bytes
from the lines on standard error, compares VRAM with its own golden values and checks the stage
profile. Prints what it found as JSON; exits 1 when anything is not as a harness expects.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys

ROW = 64
SCALE = 1.5
OUTPUT_ROW = 2
HBM_BYTES = 1024


def bf16(value: float) -> int:
    """The upper half of a float that needs no rounding."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    assert bits & 0xFFFF == 0, value
    return bits >> 16


def floats(data: bytes) -> list:
    halves = struct.unpack(f"<{len(data) // 2}H", data)
    return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]


def write_images(folder: pathlib.Path) -> list:
    """The images; the result is the row that the program must produce."""
    row = [float(lane + 1) for lane in range(ROW)]
    (folder / "vram.bin").write_bytes(struct.pack(f"<{ROW}H", *map(bf16, row)))
    (folder / "hbm.bin").write_bytes(bytes(HBM_BYTES))
    (folder / "fp_sram.bin").write_bytes(struct.pack("<3e", 0.0, 0.0, SCALE))
    (folder / "int_sram.bin").write_bytes(struct.pack("<4I", 0, 0, 0, OUTPUT_ROW * ROW))
    return [2 * value * SCALE for value in row]


def run(folder: pathlib.Path, command: list) -> str:
    flags = [
        "--opcode", "program.mem", "--hbm", "hbm.bin", "--vram", "vram.bin",
        "--fpsram", "fp_sram.bin", "--intsram", "int_sram.bin", "--settings", "settings.toml",
        "--log-level", "warn", "--stage-profile-asm", "program.asm",
        "--stage-profile-out", "stage_profile.json", "--stage-profile-version", "2",
    ]
    done = subprocess.run(command + flags, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {done.stderr}")
    return done.stderr


def one(pattern: str, text: str):
    """The groups of a pattern that must match one line."""
    matches = re.findall(pattern, text, re.MULTILINE)
    if len(matches) != 1:
        sys.exit(f"{len(matches)} lines match {pattern}")
    return matches[0]


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    golden = write_images(folder)
    log = run(folder, sys.argv[2:])

    topology = dict(re.findall(r"(\w+)=(\d+)", one(r"^topology .*$", log)))
    latency = float(one(r"^Simulation completed\. Latency ([0-9.]+)ns", log))
    read, written = map(
        int, one(r"^HBM Statistics - Bytes read: (\d+) \| Bytes written: (\d+) \|", log)
    )

    vram = floats((folder / "vram_dump.bin").read_bytes())
    result = vram[OUTPUT_ROW * ROW : (OUTPUT_ROW + 1) * ROW]
    if result != golden:
        sys.exit(f"VRAM differs: {result}")
    if floats((folder / "fpsram_dump.bin").read_bytes())[2] != SCALE:
        sys.exit("FP_MEM differs")
    integers = (folder / "intsram_dump.bin").read_bytes()
    if struct.unpack_from("<I", integers, 12)[0] != OUTPUT_ROW * ROW:
        sys.exit("INT_MEM differs")

    profile = json.loads((folder / "stage_profile.json").read_text())
    seconds = sum(stage["seconds"] for stage in profile["stages"].values())
    if abs(seconds - latency * 1e-9) > 1e-15:
        sys.exit(f"stages take {seconds} s, the run {latency} ns")
    if (read, written) != (profile["total_hbm_bytes_read"], profile["total_hbm_bytes_written"]):
        sys.exit("the lines and the stage profile tell other bytes")

    print(json.dumps({
        "topology": topology,
        "latency_ns": latency,
        "read": read,
        "written": written,
        "vram_bytes": len(vram) * 2,
        "mram_bytes": (folder / "mram_dump.bin").stat().st_size,
        "hbm_dumped": (folder / "hbm_dump.bin").exists(),
        "instructions": {
            name: stage["instructions"] for name, stage in profile["stages"].items()
        },
    }))
    return 0


if __name__ == "__main__":
    sys.exit(main())
