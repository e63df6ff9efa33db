"""Runs the steps of docs/ci.md.

usage: check_ci.py MOESCOPE_FOLDER SOURCE_FOLDER

Every step of the page's yaml blocks is run as GitHub runs it (bash -e -o pipefail), in order, in a
repository that the page describes: once where all is well, when every step must exit 0, and once
per gate in a repository with one thing wrong, when exactly the steps that should notice fail. Steps
that build moescope are only checked for the scripts that they call.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """; @stage=accumulator_init
C_LOOP_START gp1, 30
S_ADDI_INT gp2, gp2, 1
S_ST_INT gp2, gp0, 5
C_LOOP_END gp1
"""
MANIFEST = """{"schema": "moescope.run", "schema_version": 1,
 "program": {"file": "../programs/count.asm"},
 "expect": {"end": "end", "memory": [{"space": "intsram", "address": 5, "values": [30]}]}}
"""


def steps_of(page: str) -> list[dict[str, str]]:
    """The steps of the yaml blocks: their keys, of `run` the script."""
    steps: list[dict[str, str]] = []
    for block in re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S):
        script_indent = None
        for line in block.splitlines():
            indent = len(line) - len(line.lstrip())
            if script_indent is not None and (indent >= script_indent or not line.strip()):
                steps[-1]["run"] += line[script_indent:] + "\n"
                continue
            script_indent = None
            match = re.fullmatch(r"(- |  )([a-z-]+): ?(.*)", line)
            if match is None:
                # The mapping of `with`.
                assert steps and "uses" in steps[-1] and indent == 4, f"cannot read: {line!r}"
                continue
            start, key, value = match.groups()
            if start == "- ":
                steps.append({})
            assert key in ("name", "run", "uses", "with", "if", "working-directory"), line
            steps[-1][key] = value
            if key == "run" and value == "|":
                steps[-1]["run"] = ""
                script_indent = 4
    return steps


class Repository:
    """A repository as docs/ci.md describes it."""

    def __init__(self, folder: pathlib.Path, moescope: str):
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{moescope}:{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
        for name in ("programs", "runs", "baseline"):
            (folder / name).mkdir()
        self.write("programs/count.asm", PROGRAM)
        self.write("runs/count.json", MANIFEST)
        self.call("moescope run runs/count.json --profile=baseline/count.json -q")
        self.call("moescope isa dump -o isa.json")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text()
        assert old in text, f"{name} has no {old!r}"
        self.write(name, text.replace(old, new, 1))

    def run(self, script: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )

    def call(self, script: str) -> None:
        result = self.run(script)
        assert result.returncode == 0, f"{script}\n{result.stderr}"


def mistype(repository: Repository) -> None:
    repository.edit("programs/count.asm", "S_ADDI_INT", "S_ADI_INT")


def lose_a_marker(repository: Repository) -> None:
    """One pair with two experts, in a program that no manifest runs."""
    lines = []
    for expert in (1, 2):
        lines += [f"; @stage=gather pair=1 expert={expert}", "V_ADD_VV gp1, gp1, gp1, 0"]
    repository.write("programs/pairs.asm", "\n".join(lines) + "\n")


def expect_another_value(repository: Repository) -> None:
    repository.edit("runs/count.json", "[30]", "[31]")


def become_slower(repository: Repository) -> None:
    repository.edit("programs/count.asm", "S_ST_INT", "S_ADDI_INT gp3, gp3, 1\nS_ST_INT")


def overlap(repository: Repository) -> None:
    text = (repository.folder / "isa.json").read_text()
    encodings = re.findall(r'"encoding": ?"([^"]+)"', text)
    repository.edit("isa.json", encodings[1], encodings[0])


# What is wrong, and the steps that must fail then. A program that does not assemble also fails
# everything that needs it.
SEEDS = {
    mistype: {"Assemble", "Check stage markers", "Run", "Check profiles", "Compare with the baseline",
              "Compare what the timing models compute", "Write reports"},
    lose_a_marker: {"Check stage markers"},
    expect_another_value: {"Run", "Compare what the timing models compute"},
    become_slower: {"Compare with the baseline"},
    overlap: {"Check the instruction set"},
}


def failing_steps(repository: Repository, steps: list[dict[str, str]], source: pathlib.Path) -> set[str]:
    failed = set()
    for step in steps:
        if "uses" in step:
            continue
        if step.get("working-directory") == "moescope":
            for script in re.findall(r"^scripts/\S+", step["run"], re.M):
                assert os.access(source / script, os.X_OK), f"the page names {script}"
            continue
        result = repository.run(step["run"])
        if result.returncode != 0:
            failed.add(step["name"])
            repository.last_error = f"{step['name']}: {result.stdout}{result.stderr}"
    return failed


def main() -> int:
    moescope, source = sys.argv[1], pathlib.Path(sys.argv[2])
    page = (source / "docs/ci.md").read_text()
    steps = steps_of(page)
    names = [step["name"] for step in steps]
    assert len(set(names)) == len(names) >= 8, names
    for gate in set().union(*SEEDS.values()):
        assert gate in names, f"no step '{gate}' on the page"

    wrong = 0
    for seed in [None, *SEEDS]:
        folder = pathlib.Path(tempfile.mkdtemp())
        try:
            repository = Repository(folder, moescope)
            if seed is not None:
                seed(repository)
            failed = failing_steps(repository, steps, source)
            expected = SEEDS[seed] if seed is not None else set()
            if failed != expected:
                wrong += 1
                print(f"{seed.__name__ if seed else 'all is well'}: failed {failed}, expected "
                      f"{expected}\n{getattr(repository, 'last_error', '')}")
            if seed is None:
                summary = (folder / "summary.md").read_text()
                assert "## Profile difference: within tolerance" in summary, summary
                assert (folder / "results/count.html").read_text().startswith("<!DOCTYPE html>")
                assert "<testsuite" in (folder / "results/count.xml").read_text()
        finally:
            shutil.rmtree(folder)
    print(f"{len(steps)} steps, {len(SEEDS)} seeded mistakes, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
