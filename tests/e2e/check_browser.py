"""Opens HTML reports in a real browser, from a file URL.

usage: check_browser.py MOESCOPE SOURCE_FOLDER [SCREENSHOT]

Reports of one run and of two must show their text and plots and write nothing to the console; a
page that does write is reported, so that the check can fail. Without Chromium the exit code is 77,
which the test counts as skipped. SCREENSHOT receives the first page as a picture.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome")


def browse(browser: str, page: pathlib.Path, *options: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--enable-logging=stderr", f"--user-data-dir={profile}", *options, page.as_uri()],
            capture_output=True, text=True, timeout=100,
        )


def console_lines(result: subprocess.CompletedProcess) -> list[str]:
    return [line for line in result.stderr.splitlines() if re.search(r"CONSOLE[:(]", line)]


def main() -> int:
    browser = next((path for name in NAMES if (path := shutil.which(name))), None)
    if browser is None:
        print("skipped: no Chromium")
        return 77
    moescope, source = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def call(*words: str) -> None:
            subprocess.run([moescope, *words], check=True, cwd=folder)

        example = source / "examples/01_moe_layer"
        call("run", str(example / "run.json"), "-q", "--profile=a.json")
        call("run", str(example / "run.json"), "-q", "--set=hbm.channels=2", "--profile=b.json")
        call("report", "a.json", "--format=html", f"--source={example / 'layer.asm'}", "-o", "a.html")
        call("report", "a.json", "--format=html", "--compare=b.json", "-o", "ab.html")
        (folder / "bad.html").write_text("<!DOCTYPE html><script>console.error('seeded')</script>")

        wrong = []
        bad = browse(browser, folder / "bad.html", "--dump-dom")
        if not console_lines(bad):
            wrong.append("a page that writes to the console was not noticed:\n" + bad.stderr)
        for page, plots in (("a.html", 5), ("ab.html", 10)):
            result = browse(browser, folder / page, "--dump-dom")
            if console_lines(result):
                wrong.append(f"{page}: {console_lines(result)}")
            # What the browser made of it, not what we wrote.
            if "expert_projection" not in result.stdout or result.stdout.count("<svg") < plots:
                wrong.append(f"{page}: {result.stdout.count('<svg')} plots\n{result.stdout[:2000]}")
        if len(sys.argv) > 3:
            browse(browser, folder / "a.html", "--window-size=1100,4200",
                   f"--screenshot={pathlib.Path(sys.argv[3]).resolve()}")
        print("\n".join(wrong) if wrong else f"3 pages in {browser}")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
