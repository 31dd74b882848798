# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands of this folder share: benchd through its own client, Google Benchmark, a load, and the words on a failure."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BENCHD_BUILD", SOURCE / "build")).resolve()
KERNELS = BUILD / "tests" / "bench"
BENCHCTL = BUILD / "client" / "ctl" / "benchctl"
LAUNCH = BUILD / "daemon" / "launch" / "benchd-launch"
SUITES = BUILD / "suites" / "suites.so"
GOOGLE = KERNELS / "chains-google"
PEERS_GOOGLE = KERNELS / "peers-google"
NEIGHBOUR_GOOGLE = KERNELS / "neighbour-google"

README_WIDTH = 120  # tests/rules

NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}

NO_GOOGLE = "Google Benchmark is not in this build (libbenchmark-dev), so its columns are empty."
NO_SUITES = f"no suites in {BUILD}: meson configure -Dsuites=enabled"
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
        die(f"{pathlib.Path(command[0]).name} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout)


def can(option):
    """Whether benchctl has this option."""
    return f"--{option}" in subprocess.run([BENCHCTL, "run", "--help"], capture_output=True, text=True).stdout


def quick_options(quick):
    return ["--quick"] if quick else []


@contextlib.contextmanager
def daemon(*options, environment=()):
    """A daemon with these options of benchd-launch, and more in its environment, for as long as it lasts; where benchctl finds it, as
    options."""
    with tempfile.TemporaryDirectory(prefix="benchd-") as directory:
        socket = f"--socket={directory}/benchd.sock"
        process = subprocess.Popen([LAUNCH, "--with-front-end", "--until-eof", socket, *options], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **dict(environment)})
        try:
            if process.stdout.readline() != b"ready\n":
                die("the daemon did not start")
            yield [socket]
        finally:
            process.stdin.close()
            process.wait()


def complete(result):
    """The result, none of whose benchmarks failed; ["by_name"] has them, or of a comparison the new side's."""
    for benchmark in result["benchmarks"]:
        if benchmark["failed"]:
            die(f"{benchmark['name']}: {benchmark['failed']['message']}")
    result["by_name"] = {benchmark["name"]: benchmark for benchmark in result["benchmarks"] if benchmark["side"] != "old"}
    return result


def run(path, *options, filters=(), where=("--private",)):
    """One run of the module in a file as its JSON, by a daemon of its own where none is named."""
    return run_json([BENCHCTL, "run", *where, "--quiet", "--format=json", *options, path, "--", *filters])


def benchd(module, *options, filters=(), where=("--private",)):
    """One run of a module of kernels/."""
    return complete(run(KERNELS / f"{module}.so", *options, filters=filters, where=where))


def compare(old, new, *options, filters=(), where=("--private",)):
    """One comparison as its JSON; of two modules' files, or of a benchmark of each (FILE#AREA/BENCHMARK)."""
    return complete(run_json([BENCHCTL, "compare", *where, "--quiet", "--format=json", *options, old, new, "--", *filters]))


def google_repeated(program, names, repetitions=1, min_time_s=None, cpu=None):
    """One process of a program of Google Benchmark, pinned where a CPU is named: {name: [ns an iteration, a repetition]}."""
    pinned = [] if cpu is None else ["taskset", "--cpu-list", cpu]
    options = [f"--benchmark_filter=^({'|'.join(names)})$", f"--benchmark_repetitions={repetitions}"]
    options += [f"--benchmark_min_time={min_time_s}"] if min_time_s else []
    found = {name: [] for name in names}
    for row in run_json([*pinned, program, "--benchmark_format=json", *options])["benchmarks"]:
        if row["run_type"] == "iteration":
            found[row["run_name"]].append(row["real_time"] * NS[row["time_unit"]])
    return found


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


def siblings(cpu, environment):
    """The other CPUs of the core of @cpu, also where the topology hides them."""
    shared = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text()
    cores = [cpus_of(words) for words in [shared, *environment["hidden_cores"]]]
    return sorted(set().union(*(core for core in cores if cpu in core)) - {cpu})


def cpus_of(words):
    """The CPUs of a list such as 0,2-3."""
    bounds = [part.split("-") for part in words.strip().split(",")]
    return {cpu for first, *last in bounds for cpu in range(int(first), int(*last or [first]) + 1)}


@contextlib.contextmanager
def spinners(cpus):
    """A process that never waits on each of these CPUs, for as long as it lasts."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda cpu=cpu: os.sched_setaffinity(0, {cpu}))
                 for cpu in cpus]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def readme_check(path, mark):
    if path.read_text().count(mark) != 2:
        die(f"{path} has no two lines {mark}")


def readme_write(path, mark, text):
    """Puts @text between the two lines @mark of a file, its lines but those of tables no wider than others of Markdown."""
    lines = [line if line.startswith("|") else textwrap.fill(line, README_WIDTH, subsequent_indent="  " * line.startswith("-"),
                                                             break_long_words=False, break_on_hyphens=False)
             for line in text.split("\n")]
    before, _, after = path.read_text().split(mark)
    path.write_text("\n".join([f"{before}{mark}", "", *lines, "", f"{mark}{after}"]))


def platform(result, dated=True):
    """The line on where a table was measured, and when."""
    environment = result["environment"]
    guest = f", a guest of {environment['hypervisor']}" if environment["hypervisor"] else ""
    return (f"# {environment['kernel']}, {environment['cpu']['brand']} ({environment['processors']} processors{guest}), "
            f"family {environment['cpu']['family']}{', ' + result['started_at'][:10] if dated else ''}; scheduler {environment['scheduler']}, "
            f"isolation {environment['isolation']}, load {environment['load']:.1f}")
