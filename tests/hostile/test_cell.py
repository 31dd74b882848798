# SPDX-License-Identifier: GPL-3.0-or-later
"""A runner lives in namespaces of its own: it reaches nothing outside, and no trick of its module keeps it from ending."""

import contextlib
import errno
import itertools
import os
import pathlib
import signal
import socket
import subprocess

import pytest

import benchd_pb2 as pb
from support.client import BRIEF, MEASURED, Failed
from support.daemon import Daemon
from support.doors import MODULE as DOORS, OF_A_CELL
from support.paths import WITHOUT_NAMESPACES, open_directory
from support.processes import NO_NAMESPACES, may_have_namespaces
from support.steady import SteadyDaemon

TOUCHES = "daemon/launch/birth/cell* zygote confine system-directories"

MODULE = pathlib.Path(__file__).parent / "modules" / "cell.c"
USER = 4321
RUN_USER = 65529
SHM_KEY = 0x62656E63
OF_A_RUN = {"benchd-runner", "benchd-inspect", "benchd-cell"}


def namespaces(run):
    return [pb.Control.Outcome.Name(control.outcome) for control in run.result.environment.controls if control.name == "namespaces"]


@contextlib.contextmanager
def started(build, ordinary, dies=False, **options):
    """A daemon of whoever runs the tests or, if root does, of an ordinary user; and its client, who is its own user. One that dies is not
    the same afterwards."""
    if ordinary:
        options |= dict(user=USER, group=USER, extra_groups=[]) | ({} if dies else dict(as_uid=USER))
    with open_directory() as directory:
        if ordinary:
            os.chown(directory, USER, USER)
        with ((Daemon if dies else SteadyDaemon)(build, directory, launch=["--no-probes"], **options) as daemon,
              daemon.connect(**{"uid": USER} if ordinary else {}) as client):
            yield daemon, client


@pytest.fixture(params=[False, True], ids=["as it is", "as a user"])
def ordinary(request):
    if request.param and os.geteuid() != 0:
        pytest.skip("needs root, to start a daemon as somebody else")
    return request.param


@pytest.fixture
def pair(build_for_all, ordinary):
    if not may_have_namespaces():
        pytest.skip(NO_NAMESPACES)
    with started(build_for_all, ordinary) as pair:
        yield pair


def tried(client, module, name, **options):
    """What became of each attempt of a benchmark, by its counter."""
    result = client.run(module, filters=[f"cell/{name}"], **{**BRIEF, **options}).benchmarks[f"cell/{name}"]
    assert not result.HasField("failed"), result.failed.message
    return {counter.name: counter.value for counter in result.counters}


def errnos(counters):
    return {name: errno.errorcode.get(int(value), int(value)) for name, value in counters.items()}


def assert_goes_on(daemon, client, modules):
    good = client.run(modules("BENCH(good) { bench_loop(b) bench_clobber(); }"), **BRIEF)
    assert good.result.verdict in MEASURED
    assert namespaces(good) == ["APPLIED"]
    assert [name for name in daemon.processes().values() if name in OF_A_RUN or not name.startswith("benchd")] == []


def test_nothing_of_the_cell_reaches_its_first_process(pair, modules):
    daemon, client = pair
    counters = tried(client, modules(MODULE), "first")

    assert counters.pop("pid") == 2
    assert errnos(counters) == {"seize": "EPERM", "attach": "EPERM", "memory": "EACCES", "namespace": "EACCES"}
    assert_goes_on(daemon, client, modules)


def rights(pid):
    """The users of a process, its capabilities, 1 where it gets no new ones, and its descriptors, which root alone may see."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    own = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    fds = os.listdir(f"/proc/{pid}/fd") if os.geteuid() == 0 else ["0"]
    return set(own["Uid"].split()), {own[f"Cap{name}"] for name in ("Inh", "Prm", "Eff", "Amb")}, own["NoNewPrivs"], fds


def test_the_first_process_of_a_cell_is_the_launchers_user_without_a_right(pair, ordinary, modules):
    """Once it is born; one that ends meanwhile is that of the listing. Its descriptor is the lifeline to the launcher."""
    daemon, client = pair
    wanted = {str(USER if ordinary else os.geteuid())}, {"0" * 16}, "1", ["0"]

    def is_so():
        with contextlib.suppress(OSError):
            cells = [rights(pid) for pid in daemon.find("benchd-cell")]
            return daemon.find("benchd-runner") and cells and all(cell == wanted for cell in cells)

    request = client.submit(modules("BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }"), timeout_ns=600 * 10**9, **BRIEF)
    client.until(is_so)
    client.call(cancel=pb.CancelRequest(request_id=request))


def test_a_runner_that_its_child_holds_on_its_way_out_ends_by_its_timeout(pair, modules):
    daemon, client = pair
    run = client.run(modules(MODULE), filters=["cell/traced"], timeout_ns=2 * 10**9, **BRIEF)

    assert daemon.find("tracer") == [] and daemon.find("benchd-runner") == []
    assert "timeout" in run.benchmarks["cell/traced"].failed.message.lower()
    assert_goes_on(daemon, client, modules)


def test_a_fork_bomb_is_dead_when_its_end_is_told(build_for_all, ordinary, modules):
    """Root's benchmarks may have 65 processes; an ordinary user's as many as this limit leaves."""
    if not may_have_namespaces():
        pytest.skip(NO_NAMESPACES)
    with started(build_for_all, ordinary, wrapper=["prlimit", "--nproc=200"] if ordinary else []) as (daemon, client):
        run = client.run(modules(MODULE), filters=["cell/bomb"], timeout_ns=2 * 10**9, **BRIEF)
        left = daemon.find("bomber")
        assert "timeout" in run.benchmarks["cell/bomb"].failed.message.lower()  # or it was stuck, which says another thing
        assert left == []
        assert_goes_on(daemon, client, modules)


def test_a_deaf_runner_dies_with_its_launcher(build_for_all, ordinary, modules):
    if not may_have_namespaces():
        pytest.skip(NO_NAMESPACES)
    with started(build_for_all, ordinary, dies=True) as (daemon, client):
        client.submit(modules(MODULE), filters=["cell/deaf"], timeout_ns=600 * 10**9, **BRIEF)
        while len(daemon.find("deaf")) < 2:
            client.status()
        daemon.die("benchd-launch")
        daemon.__enter__()


OF_A_DAEMON = ["benchd", "benchd-launch", "benchd-zygote", "benchd-cell", "deaf"]


@pytest.mark.parametrize("order", list(itertools.permutations(OF_A_DAEMON))[::17], ids="-".join)
def test_nothing_outlives_its_launcher_whoever_is_killed_first(build_for_all, ordinary, modules, order):
    if not may_have_namespaces():
        pytest.skip(NO_NAMESPACES)
    with started(build_for_all, ordinary, dies=True) as (daemon, client):
        client.submit(modules(MODULE), filters=["cell/deaf"], timeout_ns=600 * 10**9, **BRIEF)
        while len(daemon.find("deaf")) < 2:
            client.status()
        for pid in [pid for name in order for pid in daemon.find(name)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        daemon.bury()
        daemon.__enter__()


def test_shared_memory_goes_with_its_run(pair, modules):
    _, client = pair
    for _ in range(2):  # the key is free again
        assert tried(client, modules(MODULE), "shared_memory") == {"shmget": 0}
    keys = [int(line.split()[0]) for line in pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
    assert SHM_KEY not in keys


def test_a_signal_to_all_reaches_nobody_outside(pair, ordinary, modules):
    _, client = pair
    uid = USER if ordinary else RUN_USER if os.geteuid() == 0 else os.geteuid()
    bystander = subprocess.Popen(["sleep", "3600"], **{"user": uid} if os.geteuid() == 0 else {})
    try:
        assert errnos(tried(client, modules(MODULE), "kills_all")) == {"kill": "ESRCH"}
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_cell_has_no_namespaces_within(pair, modules):
    _, client = pair
    assert set(errnos(tried(client, modules(MODULE), "nests")).values()) == {"EPERM"}


def test_nothing_that_listens_outside_is_reached(pair, modules):
    _, client = pair
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as path, \
            open_directory() as directory:
        name = f"benchd-test-{os.getpid()}"
        abstract.bind("\0" + name)
        path.bind(str(directory / "socket"))
        (directory / "socket").chmod(0o666)
        for one in [abstract, path]:
            one.listen()
        module = modules(MODULE, f"-DPORT={tcp.getsockname()[1]}", f'-DABSTRACT="{name}"', f'-DPATH="{directory}/socket"')
        attempts = errnos(tried(client, module, "reaches"))

    assert attempts == {"tcp": "ECONNREFUSED", "abstract": "ECONNREFUSED", "path": "ENOENT", "dbus": "ENOENT", "within": 0}


def test_only_a_directory_and_shared_memory_of_its_own_can_be_written(pair, modules):
    _, client = pair
    owner = USER if os.geteuid() == 0 else os.geteuid()
    with open_directory("/srv" if os.geteuid() == 0 else pathlib.Path.home()) as directory:
        file = directory / "file"
        file.touch()
        file.chmod(0o666)
        os.chown(file, owner, -1)
        counters = tried(client, modules(MODULE, f'-DPATH="{file}"'), "looks")

    # In /tmp there is the link to the module alone; the file is out of sight.
    assert {name: counters.pop(name) for name in ["in_tmp", "in_shm", "in_run", "processes"]} == \
        {"in_tmp": 1, "in_shm": 0, "in_run": 0, "processes": 2}
    assert counters.pop("in_var_tmp") == 0
    assert counters.pop("owner") == 0
    assert errnos(counters) == {"shm_open": 0, "etc": "EROFS", "var_tmp": "EROFS", "path": "ENOENT", "oom": "EROFS"}


def test_where_namespaces_are_refused_a_benchmark_runs_and_the_result_says_so(build_for_all, ordinary, modules):
    with started(build_for_all, ordinary, wrapper=WITHOUT_NAMESPACES) as (daemon, client):
        run = client.run(modules("BENCH(good) { bench_loop(b) bench_clobber(); }"), **BRIEF)
        assert run.result.verdict in MEASURED
        assert namespaces(run) == ["DENIED"]
        assert daemon.find("benchd-cell") == []


# ---- the view

PLACES = ["/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var", "/var/lib", "/var/spool", "/var/tmp", "/dev/shm"]


def printed(client, module, name, **options):
    """The lines that a benchmark printed."""
    result = client.run(module, filters=[f"doors/{name}"], **{**BRIEF, **options}).benchmarks[f"doors/{name}"]
    assert not result.HasField("failed"), result.failed.message
    return set(result.output.splitlines())


@contextlib.contextmanager
def doors_outside():
    """In each place that this user may write to, one of each kind that is open to everybody; and a terminal, a queue, a device."""
    with contextlib.ExitStack() as stack:
        doors = []
        for place in PLACES:
            with contextlib.suppress(OSError):
                directory = pathlib.Path(stack.enter_context(open_directory(place)))
                one = stack.enter_context(socket.socket(socket.AF_UNIX))
                one.bind(str(directory / "socket"))
                one.listen()
                os.mkfifo(directory / "fifo")
                (directory / "file").write_text("x")
                doors += [directory, *directory.iterdir()]
        for door in doors:
            door.chmod(0o777)
        master, slave = os.openpty()
        for fd in (master, slave):
            stack.callback(os.close, fd)
        os.fchmod(slave, 0o666)
        yield [str(door) for door in doors] + [os.ttyname(slave), "/dev/cpu_dma_latency", "/dev/fuse", "/dev/kmsg", "/dev/log", "/dev/mem", "/dev/vda"]


def test_no_door_of_a_cell_leads_outside(pair, modules):
    _, client = pair
    with doors_outside() as doors:
        found = printed(client, modules(DOORS), "walk")
        tried = printed(client, modules(DOORS), "named", environment=["DOORS=" + ":".join(doors)])
    assert len(doors) > 20
    assert found == OF_A_CELL
    assert tried == set()


def test_terminals_and_queues_of_a_cell_are_its_own(pair, modules):
    _, client = pair
    result = client.run(modules(DOORS), filters=["doors/own"], **BRIEF).benchmarks["doors/own"]
    assert {counter.name: counter.value for counter in result.counters} == dict.fromkeys(["terminal", "is_first", "queue", "no_tty"], 1)


@pytest.mark.parametrize("kind", ["run", "compare"])
def test_where_part_of_proc_is_covered_the_result_says_so(build_for_all, modules, kind):
    if not may_have_namespaces() or os.geteuid() != 0:
        pytest.skip("needs root, to cover /proc, and namespaces")
    covered = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc/fs && exec "$@"', "sh"]
    with started(build_for_all, False, wrapper=covered) as (_, client):
        module = modules("BENCH(good) { bench_loop(b) bench_clobber(); }")
        run = client.run(module, **BRIEF) if kind == "run" else client.compare(module, module, **BRIEF)
    assert run.result.verdict in MEASURED
    assert [getattr(control, "is") for control in run.result.environment.controls if control.name == "namespaces"] == \
        ["its own, but the daemon's processes are seen: part of /proc is covered here"]
    assert namespaces(run) == ["OVERRIDDEN"]


def test_the_launchers_command_line_is_not_told(pair, modules):
    daemon, client = pair
    source = r"""
        #include <stdio.h>
        BENCH(reads) {
                char line[64];
                FILE *file = fopen("/proc/1/cmdline", "r");
                size_t n = fread(line, 1, sizeof line, file), told = 0;

                for (size_t i = 0; i < n; i++)
                        told += line[i] != 0;
                bench_counter(b, "told", told);
                bench_loop(b) bench_clobber();
        }"""
    [result] = client.run(modules(source), **BRIEF).benchmarks.values()
    assert [counter.value for counter in result.counters] == [0]


# ---- what its submitter has it see


@contextlib.contextmanager
def things_to_see(owner):
    """Files of @owner below directories that only the owner may enter, a link, and files of somebody else."""
    with contextlib.ExitStack() as stack:
        of_owner = [pathlib.Path(stack.enter_context(open_directory(place))) for place in ("/srv", "/tmp")]
        for directory in of_owner:
            (directory / "in").mkdir()
            (directory / "in" / "file").write_text("o")
            (directory / "link").symlink_to("in")
            for path in [directory, *directory.rglob("*")]:
                os.chown(path, owner, owner, follow_symlinks=False)
            directory.chmod(0o700)
        yield of_owner


def seen(run):
    return [getattr(control, "is") for control in run.result.environment.controls if control.name == "see"]


def test_a_run_sees_what_its_submitter_names_and_cannot_write_it(pair, ordinary, modules):
    _, client = pair
    if os.geteuid() != 0:
        pytest.skip("needs root, to be several users")
    with things_to_see(USER if ordinary else RUN_USER) as places:
        named = [str(place / name) for place in places for name in ("in", "link", "in/file")]
        read = [str(place / name) for place in places for name in ("in/file", "link/file")]
        run = client.run(modules(DOORS), filters=["doors/sees"], seen=named, environment=["DOORS=" + ":".join(read)], **BRIEF)
        result = run.benchmarks["doors/sees"]
    assert not result.HasField("failed"), result.failed.message
    assert set(result.output.splitlines()) == {f"o {path}" for path in read}
    assert seen(run) == [", ".join(named)]
    if os.stat("/tmp").st_dev == os.stat("/srv").st_dev:
        assert "memory" not in result.files  # they are on a disk, though some lie below the run's directory


def test_a_path_over_a_link_of_the_machine_is_seen_in_the_run(pair, modules):
    """/var/run is a link there and here."""
    _, client = pair
    if os.geteuid() != 0 or os.path.realpath("/var/run") != "/run":
        pytest.skip("needs root, and /var/run as a link")
    with open_directory("/run") as directory:
        (directory / "file").write_text("l")
        named = f"/var/run/{directory.name}"
        read = printed(client, modules(DOORS), "sees", seen=[named], environment=[f"DOORS={named}/file:/run/{directory.name}/file"])
        assert sorted(os.listdir(directory)) == ["file"]
    assert read == {f"l {named}/file", f"l /run/{directory.name}/file"}


@pytest.mark.parametrize("there", ["nothing", "closed"])
def test_a_path_that_its_submitter_may_not_read_is_refused_in_words(pair, modules, there):
    _, client = pair
    if os.geteuid() != 0:
        pytest.skip("needs root, to be several users")
    with open_directory("/srv") as directory:
        (directory / "file").write_text("secret")
        directory.chmod(0o700)  # root's
        path = str(directory / "file") if there == "closed" else "/srv/benchd-none"
        with pytest.raises(Failed) as failed:
            client.run(modules("BENCH(good) { bench_loop(b) bench_clobber(); }"), seen=[path], **BRIEF)
    assert f"{path}: {'Permission denied' if there == 'closed' else 'No such file or directory'}" in failed.value.message


@pytest.mark.parametrize("path", ["/", "/tmp", "/proc", "/proc/1", "/dev", "/dev/shm", "/dev/shm/x", "/dev/pts/0", "relative", "/srv/../etc",
                                  "/srv//x", "/srv/.", "/srv/", "", "/" + "x" * 191])
def test_a_path_that_no_run_can_see_is_refused_in_words(pair, modules, path):
    _, client = pair
    with pytest.raises(Failed) as failed:
        client.run(modules("BENCH(good) { bench_loop(b) bench_clobber(); }"), seen=[path], **BRIEF)
    assert failed.value.code == "BAD_REQUEST"
    assert "see" in failed.value.message
