# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that benchctl writes: whole or as before, led astray by nobody's link, and with nothing left beside them."""

import contextlib
import functools
import json
import os
import pathlib
import signal
import subprocess
import tempfile

import pytest

from support import drawn
from support.benchctl import ANY, CANCELLED, USAGE, Benchctl
from support.processes import names_below

TOUCHES = "file-draft client/ctl/show/output.*"

STRANGER = 4322  # owns nothing on any machine

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")


@pytest.fixture
def place():
    """A directory that other users reach too."""
    with tempfile.TemporaryDirectory(prefix="benchd-test-") as directory:
        pathlib.Path(directory).chmod(0o755)
        yield pathlib.Path(directory)


@pytest.fixture
def kept(tmp_path):
    """A result with samples, as a file."""
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(drawn.result_of(benchmarks=1)))
    path.chmod(0o644)
    for parent in [tmp_path, *tmp_path.parents][:3]:
        parent.chmod(0o755)
    return path


@pytest.fixture
def show(build, kept, place):
    """benchctl show of the kept result, which writes a file."""
    benchctl = Benchctl(build, kept, cwd=place)
    show = functools.partial(benchctl, "show")
    show.kept, show.program = kept, benchctl.program
    return show


WRITERS = {
    "output": ("--output=", "file.json"), "page": ("--output=", "file.html"), "columns": ("--output=", "file.csv"), "picture": ("--output=", "file.gp"),
    "table": ("-o", "file"), "samples": ("--raw=", "file.npz"), "baseline": ("--save-baseline=", "file.json"),
}


@pytest.fixture(params=WRITERS)
def writer(request):
    return WRITERS[request.param]


def entries(directory):
    return sorted(path.name for path in directory.iterdir())


def test_a_file_has_the_mode_of_the_umask_or_of_the_one_before(show, writer, place):
    option, name = writer
    show(f"{option}{name}", umask=0o026)
    assert (place / name).stat().st_mode & 0o777 == 0o640
    (place / name).write_text("x" * 1000000)
    (place / name).chmod(0o604)
    show(f"{option}{name}")
    assert (place / name).stat().st_mode & 0o777 == 0o604 and b"xxx" not in (place / name).read_bytes()
    assert entries(place) == [name]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(show, writer, place):
    import resource
    option, name = writer
    (place / name).write_text("before")
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    refused = show(f"{option}{name}", expect=USAGE, preexec_fn=limit)
    assert f"{name}: File too large" in refused.stderr
    assert (place / name).read_text() == "before" and entries(place) == [name]


def test_an_own_link_is_followed_and_stays(show, writer, place):
    option, name = writer
    (place / "there").mkdir()
    (place / name).symlink_to("there/else")
    show(f"{option}{name}")
    assert (place / name).is_symlink() and (place / "there/else").stat().st_size > 0
    assert entries(place) == sorted([name, "there"]) and entries(place / "there") == ["else"]


@needs_root
@pytest.mark.parametrize("way", ["the file", "its directory", "behind an own link"])
def test_a_strangers_link_is_refused(show, writer, place, way):
    option, name = writer
    (place / "root").mkdir()
    (place / "root" / name).write_text("root's")
    (place / "open").mkdir()
    (place / "open").chmod(0o777)
    link = place / "open" / (name if way != "its directory" else "sub")
    link.symlink_to(place / "root" / name if way != "its directory" else place / "root")
    os.lchown(link, STRANGER, STRANGER)
    named = {"the file": f"open/{name}", "its directory": f"open/sub/{name}", "behind an own link": f"own-{name}"}[way]
    if way == "behind an own link":
        (place / named).symlink_to(f"open/{name}")
    refused = show(f"{option}{named}", expect=USAGE)
    assert f"{named}: it, or a symbolic link on the way to it, belongs to another user." in refused.stderr
    assert (place / "root" / name).read_text() == "root's"


@needs_root
@pytest.mark.parametrize("suffix", [".new", ".tmp", "~", ".draft", ".part"])
def test_no_name_that_a_stranger_can_guess_leads_astray(show, writer, place, suffix):
    option, name = writer
    (place / "root's").write_text("root's")
    place.chmod(0o777)
    for planted in (place / f"{name}{suffix}", place / f".{name}{suffix}"):
        planted.symlink_to(place / "root's")
        os.lchown(planted, STRANGER, STRANGER)
    show(f"{option}{name}")
    assert (place / "root's").read_text() == "root's"
    assert (place / name).stat().st_uid == 0 and not (place / name).is_symlink()


@needs_root
def test_a_hard_link_of_a_strangers_leads_nowhere(show, writer, place):
    option, name = writer
    (place / "root's").write_text("root's")
    (place / "open").mkdir()
    os.link(place / "root's", place / "open" / name)
    show(f"{option}open/{name}")
    assert (place / "root's").read_text() == "root's"


@needs_root
def test_a_writable_file_of_a_closed_directory_is_written(show, writer, place):
    option, name = writer
    (place / name).write_text("before")
    (place / name).chmod(0o666)
    if subprocess.run(["test", "-r", show.kept, "-a", "-x", show.program], user=STRANGER, group=STRANGER, extra_groups=[]).returncode != 0:
        pytest.skip("another user does not reach the programs")
    show(f"{option}{name}", user=STRANGER, group=STRANGER, extra_groups=[])
    assert "before" not in (place / name).read_text(errors="replace")[:6] and (place / name).stat().st_uid == 0
    assert entries(place) == [name]
    assert "Permission denied" in show(f"{option}other-{name}", expect=USAGE, user=STRANGER, group=STRANGER, extra_groups=[]).stderr


def test_standard_output_and_pipes_stay_what_they_are(show, place):
    shell = f'B="{show.program} show {show.kept} --format=csv -o"; (echo before; $B /dev/stdout; echo behind) >>all; ' \
            '$B /dev/fd/5 5>&1 | cat >piped; $B >(cat >substituted; echo done >finished); while [ ! -e finished ]; do :; done'
    (place / "all").write_text("first\n")
    subprocess.run(["bash", "-euc", shell], cwd=place, check=True, timeout=60)
    lines = (place / "all").read_text().splitlines()
    table = (place / "piped").read_text()
    assert lines[:2] == ["first", "before"] and lines[-1] == "behind" and "\n".join(lines[2:-1]) + "\n" == table
    assert table == (place / "substituted").read_text() and len(table.splitlines()) > 1
    os.mkfifo(place / "fifo")
    reader = subprocess.Popen(["cat", "fifo"], cwd=place, stdout=subprocess.PIPE, text=True)
    show("--format=csv", "-o", "fifo")
    assert reader.communicate(timeout=60)[0] == table and (place / "fifo").is_fifo()
    show("--format=csv", "-o", "/dev/null")
    assert pathlib.Path("/dev/null").is_char_device()


@pytest.mark.parametrize("times", ["once", "twice"])
def test_a_run_that_is_told_to_end_leaves_no_draft(build, modules, tmp_path, times):
    """The first module's result is in the draft while the second one is measured. Who presses twice gets an end without an answer of the daemon."""
    runtime, files = tmp_path / "run", tmp_path / "files"
    runtime.mkdir()
    files.mkdir()
    (files / "r.json").write_text("before")
    quick, long = modules("BENCH(quick) { bench_loop(b) bench_clobber(); }", name="quick"), modules("BENCH(long) { bench_loop(b) bench_clobber(); }", name="long")
    run = Benchctl(build, "--private").on_terminal(
        "run", "--processes=40", "--samples=2", "--min-time=0.02", "--warmup=1", f"--output={files}/r.json", f"--save-baseline={files}/b.json", quick, long,
        stdout=subprocess.DEVNULL, XDG_RUNTIME_DIR=runtime)
    run.await_text(r"loading \S*long\S*(?s:.*)process ([3-9]|1[0-9]) of ")
    assert (files / "r.json").read_text() == "before" and len(entries(files)) == 2
    fronts = [pid for pid, name in names_below(run.process.pid).items() if name == "benchd"] if times == "twice" else []
    for pid in fronts:
        os.kill(pid, signal.SIGSTOP)
    if fronts:
        run.press_until_end(signal.SIGINT)
    else:
        run.process.send_signal(signal.SIGINT)
    for pid in fronts:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    run.end(CANCELLED)
    assert entries(files) == ["r.json"]
    if fronts:
        assert (files / "r.json").read_text() == "before"
    else:
        assert [result["verdict"] for result in json.loads((files / "r.json").read_text())][1] == "partial"


@needs_root
@pytest.mark.parametrize("verb", ["new", "unpack"])
def test_sources_take_no_links_place(build, place, verb):
    if verb == "unpack" and not (build / "suites/suites.so").exists():
        pytest.skip("built without suites")
    (place / "own").mkdir()
    (place / "own").chmod(0o777)
    words = {"new": ("new", "own/mine.c"), "unpack": ("unpack", "suites.src")}[verb]
    name = "own/mine.c" if verb == "new" else "suites.src/Makefile"
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).symlink_to(place / "root's")
    done = Benchctl(build, cwd=place, expect=ANY)(*words)
    assert "exists already" in done.stderr, done.stderr
    assert not (place / "root's").exists() and not [path for path in place.rglob(".*")]
