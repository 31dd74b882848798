# SPDX-License-Identifier: GPL-3.0-or-later
"""No level of the journal, no control group and no private file of the daemon's reaches a user: not in a reply, which every test's client
looks at, and not on the terminal of who runs a private daemon that fails."""

import os
import re
import subprocess

import pytest

import benchd_pb2 as pb
from support.client import leaks
from support.daemon import Daemon
from support.modules import SPINS

TOUCHES = "reply-error say"


@pytest.mark.parametrize("reply", [
    pb.Reply(error=pb.Error(message="<4>a runner's group could not be removed")),
    pb.Reply(error=pb.Error(message="x", hint="see /sys/fs/cgroup/benchd.slice")),
    pb.Reply(status=pb.Status(warnings=["fine", "/var/lib/benchd/history.db is full"])),
], ids=["a level", "a control group", "a private file"])
def test_a_leak_would_be_seen(reply):
    assert len(leaks(reply)) == 1


def test_the_words_of_modules_are_their_own():
    reply = pb.Reply(history=pb.History(entries=[pb.HistoryEntry(module_name="<4>history.db")]))
    assert leaks(reply) == []


def test_the_launchers_log_has_names_and_no_levels_where_a_person_reads_it(build, tmp_path):
    """A journal that is none: the launcher complains at once."""
    journal = tmp_path / "journal"
    journal.write_text("no journal\n")
    journal.chmod(0o600)
    done = subprocess.run([build / "daemon/launch/benchd-launch", "--restore", f"--journal={journal}"], capture_output=True, text=True)
    assert done.stderr, "it says what is wrong"
    assert all(re.match(r"benchd-launch: |error ", line) for line in done.stderr.splitlines()), done.stderr


def test_the_journal_gets_levels(build, tmp_path):
    journal = tmp_path / "journal"
    journal.write_text("no journal\n")
    journal.chmod(0o600)
    with open(tmp_path / "log", "w+") as log:
        stream = os.fstat(log.fileno())
        subprocess.run([build / "daemon/launch/benchd-launch", "--restore", f"--journal={journal}"], stderr=log,
                       env=os.environ | {"JOURNAL_STREAM": f"{stream.st_dev}:{stream.st_ino}"})
        log.seek(0)
        assert re.match(r"<[0-7]>", log.read())


@pytest.mark.parametrize("half", ["benchd", "benchd-launch"])
def test_who_runs_a_daemon_that_is_killed_reads_words(build, tmp_path, modules, half):
    with Daemon(build, tmp_path) as daemon, daemon.connect() as client:
        request = client.submit(modules(SPINS), timeout_ns=600 * 10**9)
        for reply in client.replies(request):
            if reply.HasField("progress") and reply.progress.stage == pb.Progress.MEASURING:
                break
        daemon.die(half)
        told = daemon.errors()
        assert told and not re.search(r"^<[0-7]>", told, re.M), told
        daemon.__enter__()
