# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands of this folder share: benchd through its own client, Google Benchmark, a load, and the words on a failure."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BENCHD_BUILD", SOURCE / "build")).resolve()
KERNELS = BUILD / "tests" / "bench"
BENCHCTL = BUILD / "client" / "ctl" / "benchctl"
GOOGLE = KERNELS / "chains-google"

NO_GOOGLE = "Google Benchmark is not in this build (libbenchmark-dev), so its columns are empty."
NO_STRESS = "stress-ng is not installed, so nothing was measured under load."


def die(words):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {words}")


def begin():
    """Every line goes out as it is printed, and there is a build to measure."""
    sys.stdout.reconfigure(line_buffering=True)
    if not BENCHCTL.exists() or not KERNELS.exists():
        die(f"no build in {BUILD}: meson setup build && ninja -C build, or name one in BENCHD_BUILD")


def say(words):
    """On a terminal, what is under way; the tables alone are on stdout."""
    if sys.stderr.isatty():
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


def run_json(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        die(f"{command[0].name} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout)


def can(option):
    """Whether benchctl has this option."""
    return f"--{option}" in subprocess.run([BENCHCTL, "run", "--help"], capture_output=True, text=True).stdout


def quick_options(quick):
    return ["--quick"] if quick else []


def benchd(module, *options, filters=()):
    """One run by a daemon of its own, as its JSON; ["by_name"] has its benchmarks."""
    result = run_json([BENCHCTL, "run", "--private", "--quiet", "--format=json", *options, KERNELS / f"{module}.so",
                       "--", *filters])
    for benchmark in result["benchmarks"]:
        if benchmark["failed"]:
            die(f"{benchmark['name']}: {benchmark['failed']['message']}")
    result["by_name"] = {benchmark["name"]: benchmark for benchmark in result["benchmarks"]}
    return result


def google(steps=1000, min_time_s=None):
    """One run of the same chains by Google Benchmark: {name: ns a step}; None where it was not built."""
    if not GOOGLE.exists():
        return None
    options = [f"--benchmark_min_time={min_time_s}"] if min_time_s else []
    result = run_json([GOOGLE, "--benchmark_format=json", *options])
    return {benchmark["name"]: benchmark["real_time"] / steps for benchmark in result["benchmarks"]}


def have_load():
    return shutil.which("stress-ng") is not None


@contextlib.contextmanager
def load(wanted=True):
    """stress-ng --cpu 2 for as long as it lasts."""
    if not wanted:
        yield
        return
    process = subprocess.Popen(["stress-ng", "--cpu", "2", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def platform(result):
    """The line on where a table was measured."""
    environment = result["environment"]
    guest = f", a guest of {environment['hypervisor']}" if environment["hypervisor"] else ""
    return (f"# {environment['kernel']}, {environment['cpu']['brand']} ({environment['processors']} processors{guest}), "
            f"family {environment['cpu']['family']}, {result['started_at'][:10]}; scheduler {environment['scheduler']}, "
            f"isolation {environment['isolation']}, load {environment['load']:.1f}")
