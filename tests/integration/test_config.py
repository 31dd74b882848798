# SPDX-License-Identifier: GPL-3.0-or-later
"""What an administrator sees: `benchd --check-config`, and the words that systemd and a log get."""

import os
import queue
import re
import socket
import subprocess
import tempfile
import threading

import pytest

import benchd_pb2 as pb
from support.daemon import Daemon
from support.modules import SPINS
from support.paths import BUILD, SOURCE

TOUCHES = "config log daemon/front/options.*"


@pytest.fixture
def check(build, tmp_path):
    def check(text, **drop_ins):
        path = tmp_path / "benchd.conf"
        path.write_text(text)
        for name, content in drop_ins.items():
            (tmp_path / "benchd.conf.d").mkdir(exist_ok=True)
            (tmp_path / "benchd.conf.d" / f"{name}.conf").write_text(content)
        done = subprocess.run([build / "daemon/front/benchd", f"--check-config={path}"], capture_output=True, text=True)
        return done.returncode, done.stdout.replace(str(tmp_path) + "/", ""), done.stderr.replace(str(tmp_path) + "/", "")

    return check


def values(out):
    return [line.split(";")[0].strip() for line in out.splitlines()]


def test_each_value_is_told_with_where_it_comes_from(check):
    code, out, errors = check("[queue]\njobs=5\n[history]\nmodule_quota=2048M\n", more="[queue]\njobs_per_user = 2 ; few\n")
    assert (code, errors) == (0, "")
    assert re.search(r"^jobs=5 +; benchd.conf:2$", out, re.M)
    assert re.search(r"^jobs_per_user=2 +; benchd.conf.d/more.conf:2$", out, re.M)
    assert re.search(r"^module_quota=2G +; benchd.conf:4$", out, re.M)
    assert re.search(r"^clients=256 +; default$", out, re.M)


def test_what_it_prints_can_be_read_again(check):
    first = check("[queue]\njobs=5\n[log]\nlevel=debug\n[access]\nhistory=*\n")
    again = check(first[1])
    assert again[0] == 0 and "default" not in again[1]
    assert values(again[1]) == values(first[1])


def test_the_example_changes_nothing(check):
    code, out, errors = check((BUILD / "systemd/benchd.conf").read_text())
    assert (code, errors) == (0, "")
    assert out.count("; default") == out.count("=")
    uncommented = re.sub(r"^#(?=\w+=)", "", (BUILD / "systemd/benchd.conf").read_text(), flags=re.M)
    assert values(check(uncommented)[1]) == values(out)


def test_the_strict_site_of_the_text_on_security_is_a_configuration(check):
    text = (SOURCE / "SECURITY.md").read_text()
    strict = re.search(r"^```\n(# /etc/benchd/.*?)^```", text, re.M | re.S)[1]
    code, out, errors = check(strict)
    assert (code, errors) == (0, "")
    assert out.count("; benchd.conf:") == len(re.findall(r"^\w+=", strict, re.M)) > 5


def test_bad_lines_are_all_told_with_file_line_and_remedy(check):
    code, out, errors = check("[queue]\njobs=many\nwhat\n", more="[queue]\n\njobs=0\n")
    assert (code, out) == (1, "")
    assert [re.match(r"\S+:\d+: ", line)[0] for line in errors.splitlines()] == [
        "benchd.conf:2: ", "benchd.conf:3: ", "benchd.conf.d/more.conf:3: "]


@pytest.mark.parametrize("name, words", [("a" * 65, "is out of range, line ignored: give 1 to 64 letters"), ("node 7", "is not a value"),
                                         ("node-%H", "is not a value"), ("", "is not a value"), ("näme", "is not a value")])
def test_a_name_of_the_machine_that_is_none_is_refused(check, name, words):
    code, out, errors = check(f"[machine]\nmachine_name={name}\n")
    assert (code, out) == (1, "") and errors.startswith("benchd.conf:2: ") and words in errors
    assert check("[machine]\nmachine_name=node-7\n")[0] == 0


def test_a_file_that_is_named_must_be_there(build, tmp_path):
    done = subprocess.run([build / "daemon/front/benchd", f"--check-config={tmp_path}/none"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"{tmp_path}/none: cannot be read (No such file or directory)")


@pytest.fixture
def notified(monkeypatch):
    """What the daemon tells systemd. It is read as it comes, since who tells it waits while the socket is full."""
    with tempfile.TemporaryDirectory(prefix="benchd-test-") as directory:
        os.chmod(directory, 0o755)
        path = os.path.join(directory, "notify")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind(path)
        os.chmod(path, 0o666)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
        monkeypatch.setenv("WATCHDOG_USEC", "1000000")
        told = queue.SimpleQueue()

        def read():
            while data := listener.recv(4096):
                told.put(data.decode().splitlines())

        def wait_for(wanted):
            while wanted not in (lines := told.get(timeout=600)):
                assert all(re.match(r"[A-Z]+=", line) for line in lines)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        yield wait_for
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", path)
        reader.join()
        listener.close()


@pytest.mark.parametrize("words", [["--check-config", "good.conf"], ["good.conf", "--check-config"], ["--check-config=good.conf"]])
def test_the_file_to_check_may_stand_behind_a_blank(build, tmp_path, words):
    (tmp_path / "good.conf").write_text("[queue]\njobs=7\n")
    done = subprocess.run([build / "daemon/front/benchd", *words], capture_output=True, text=True, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "jobs=7" in done.stdout and "good.conf" in done.stdout


@pytest.mark.parametrize("words, said", [
    (["--foo"], "unrecognized option '--foo'"),
    (["run"], "'run' is an argument"),
    (["--check-config=a", "b"], "'b' is an argument"),
])
def test_a_mistake_on_the_command_line_points_to_the_help(build, words, said):
    done = subprocess.run([build / "daemon/front/benchd", *words], capture_output=True, text=True)

    assert done.returncode == 2
    assert said in done.stderr and "'benchd --help' lists its options." in done.stderr


def test_systemd_is_told_how_it_stands(build, tmp_path, modules, notified):
    with Daemon(build, tmp_path) as daemon, daemon.connect() as client:
        notified("STATUS=0 jobs, 0 running")
        notified("WATCHDOG=1")
        request = client.submit(modules(SPINS), timeout_ns=600 * 10**9)
        notified("STATUS=1 job, 1 running")
        for reply in client.replies(request):
            if reply.HasField("progress") and reply.progress.stage == pb.Progress.MEASURING:
                break
        client.submit(modules(SPINS), timeout_ns=600 * 10**9)
        notified("STATUS=2 jobs, 1 running")
        client.socket.close()
        notified("STATUS=0 jobs, 0 running")
    notified("STOPPING=1")


def test_a_clients_text_reaches_the_log_without_control_characters(build, tmp_path, modules):
    with Daemon(build, tmp_path) as daemon, daemon.connect() as client:
        fds = client.module_fds(modules("int nothing;"))
        client.send(fds, run=pb.RunRequest(module_name="\033[31mred\n<0>benchd: forged\a"))
        while not client.receive().last:
            pass
        for fd in fds:
            os.close(fd)
        client.status()
        assert "red" in daemon.errors(), "the log tells of the module"
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", daemon.errors())
        assert all(line.startswith(("benchd: ", "benchd-launch: ", "error ")) for line in daemon.errors().splitlines())
        assert "\nbenchd: forged" not in daemon.errors()
