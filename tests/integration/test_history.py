# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that outlive their client, and what the daemon remembers of them, whatever becomes of it."""

import os
import shutil
import sqlite3
import time

import pytest

import benchd_pb2 as pb
from support import faults, tree
from support.client import FOREVER, MEASURED, TWICE, Failed
from support.daemon import Daemon
from support.modules import EMPTY, SPINS, TWO, padded
from support.paths import IS_SANITIZED
from support.users import OTHER_UID, as_root

TOUCHES = "daemon/front/history/* jobs verb-history report-history client/ctl/model/trend.* report-trend"


def code_of(call, *arguments):
    with pytest.raises(Failed) as failed:
        call(*arguments)
    return failed.value.code


def test_accepted_is_the_first_reply_of_every_run(client, modules):
    replies = list(client.replies(client.submit(modules(EMPTY), **TWICE)))
    assert replies[0].accepted.run_id == replies[-1].result.run_id
    assert replies[0].accepted.stored
    assert len(replies[0].accepted.run_id) == 32


def test_a_detached_run_outlives_its_client_and_is_waited_for_by_another(kept, modules):
    with kept() as daemon:
        with daemon.connect() as client:
            accepted = client.detach(modules(TWO), **TWICE)
            assert accepted.stored
        with daemon.connect() as other:
            run = other.wait(accepted.run_id)
            assert len(run.benchmarks) == 2
            assert run.accepted == accepted
            assert run.result.run_id == accepted.run_id
            shown = other.show(accepted.run_id[:6])
            assert shown.result == run.result
            assert shown.benchmarks == run.benchmarks


def test_what_the_submitter_got_is_what_is_shown_later(client, modules):
    run = client.run(modules(TWO), **TWICE)
    shown = client.show(run.result.run_id)
    assert shown.result == run.result
    assert shown.benchmarks == run.benchmarks


def test_who_waits_sees_progress_and_then_all_results(daemon, client, modules):
    blocking = client.start(modules(SPINS))
    job = client.detach(modules(TWO), **TWICE)
    with daemon.connect() as other:
        request = other.send(wait=pb.WaitRequest(run_id=job.run_id))
        assert other.until_stage(request, pb.Progress.QUEUED).queue_position == 1
        assert client.cancel_job(blocking)
        run = other.collect(request)
    assert len(run.benchmarks) == 2
    assert any(progress.stage == pb.Progress.MEASURING for progress in run.progress)


def test_a_job_under_way_is_not_shown_yet(client, modules):
    job = client.start(modules(SPINS))
    assert code_of(client.show, job) == "NOT_DONE"
    assert client.history()[0].state == pb.JOB_RUNNING
    assert client.cancel_job(job[:8])
    assert client.history()[0].state == pb.JOB_CANCELLED
    assert not client.cancel_job(job)


def test_giving_up_waiting_leaves_the_job_alone(client, modules):
    job = client.start(modules(SPINS))
    request = client.send(wait=pb.WaitRequest(run_id=job))
    assert client.until_stage(request, pb.Progress.MEASURING)
    assert client.call(cancel=pb.CancelRequest(request_id=request)).cancel.found
    assert client.history()[0].state == pb.JOB_RUNNING


def test_an_attached_job_ends_with_its_client_and_is_remembered_as_cancelled(daemon, client, modules):
    gone = daemon.connect()
    gone.until_stage(gone.submit(modules(SPINS), **FOREVER), pb.Progress.MEASURING)
    job = client.history()[0].run_id
    request = client.send(wait=pb.WaitRequest(run_id=job))
    assert client.until_stage(request, pb.Progress.MEASURING)
    gone.socket.close()
    assert client.collect(request).result.verdict == pb.RunResult.PARTIAL
    assert client.history()[0].state == pb.JOB_CANCELLED


def test_a_job_that_failed_says_so_again(client, modules):
    job = client.detach(b"no module at all", **TWICE).run_id
    assert code_of(client.wait, job) == "BAD_MODULE"
    assert code_of(client.show, job) == "BAD_MODULE"
    entry = client.history(state=pb.JOB_FAILED)[0]
    assert entry.run_id == job and entry.error.code == pb.Error.BAD_MODULE


def test_the_history_is_narrowed_by_what_is_asked(client, modules):
    first = client.run(modules(EMPTY, name="alpha"), **TWICE).result.run_id
    second = client.run(modules(TWO, name="beta"), **TWICE).result.run_id
    entries = client.history()
    assert [entry.run_id for entry in entries] == [second, first]
    assert [entry.benchmarks for entry in entries] == [2, 1]
    assert all(entry.verdict in MEASURED and entry.ended_at_unix_ns >= entry.submitted_at_unix_ns
               for entry in entries)
    assert [entry.run_id for entry in client.history(limit=1)] == [second]
    assert [entry.run_id for entry in client.history(module_glob="alpha*")] == [first]
    assert [entry.run_id for entry in client.history(since_unix_ns=entries[0].submitted_at_unix_ns)] == [second]
    assert len(client.history(state=pb.JOB_DONE)) == 2
    assert len(client.history(state=pb.JOB_LOST)) == 0


@pytest.mark.parametrize("options", [dict(limit=0), dict(limit=1001), dict(module_glob="x" * 256)],
                         ids=["none", "too many", "a long glob"])
def test_a_history_out_of_range_is_refused(client, options):
    with pytest.raises(Failed) as failed:
        client.history(**options)
    assert failed.value.code == "BAD_REQUEST"


@pytest.mark.parametrize("run_id, code", [
    ("", "BAD_REQUEST"), ("abc", "BAD_REQUEST"), ("ABCD", "BAD_REQUEST"), ("abc%", "BAD_REQUEST"),
    ("0" * 33, "BAD_REQUEST"), ("0" * 32, "NOT_FOUND"),
])
def test_what_names_no_job_is_told_so(client, run_id, code):
    assert code_of(client.show, run_id) == code
    assert code_of(client.wait, run_id) == code
    assert code_of(client.pin, run_id) == code
    assert code_of(client.cancel_job, run_id) == code


@as_root
def test_another_user_sees_nothing_and_root_all(kept, modules):
    with kept() as daemon:
        with daemon.connect(uid=OTHER_UID) as owner:
            job = owner.run(modules(EMPTY), **TWICE).result.run_id
            assert owner.history()[0].run_id == job
            assert code_of(lambda: owner.history(all_users=True)) == "DENIED"
        with daemon.connect(uid=OTHER_UID + 1) as other:
            assert len(other.history()) == 0
            for call in [other.show, other.wait, other.cancel_job, other.pin]:
                assert code_of(call, job) == "NOT_FOUND"
        with daemon.connect(uid=0) as root:
            assert root.show(job).result.run_id == job
            assert len(root.history()) == 0
            assert root.history(all_users=True)[0].uid == OTHER_UID


@as_root
def test_a_shared_history_is_seen_and_not_changed(kept, modules, state):
    with kept(config="[access]\nhistory = *\n") as daemon:
        with daemon.connect(uid=OTHER_UID) as owner:
            job = owner.run(modules(EMPTY), **TWICE).result.run_id
        with daemon.connect(uid=OTHER_UID + 1) as other:
            assert other.show(job).result.run_id == job
            assert other.history(all_users=True)[0].run_id == job
            assert code_of(other.pin, job) == "NOT_FOUND"


@pytest.mark.parametrize("half", ["benchd", "benchd-launch"])
def test_what_was_told_is_there_after_a_kill_and_the_rest_is_lost_in_words(kept, modules, half):
    with kept() as daemon:
        with daemon.connect() as client:
            done = client.run(modules(TWO), **TWICE)
            detached = client.detach(modules(EMPTY), **TWICE).run_id
            client.wait(detached)
            running = client.start(modules(SPINS))
            queued = client.detach(modules(EMPTY), **TWICE).run_id
            daemon.die(half)
        daemon.__enter__()
        with daemon.connect() as client:
            assert client.show(done.result.run_id).benchmarks == done.benchmarks
            assert client.show(detached).result.run_id == detached
            for job in [running, queued]:
                with pytest.raises(Failed) as failed:
                    client.wait(job)
                assert failed.value.code == "LOST"
                assert "Submit it again" in failed.value.hint
            assert [entry.state for entry in client.history()] == [pb.JOB_LOST] * 2 + [pb.JOB_DONE] * 2
            assert client.run(modules(EMPTY), **TWICE).result.verdict in MEASURED


def overwrite(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def number(path, version):
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {version}")
    database.close()


@pytest.mark.parametrize("spoil", [
    lambda path: overwrite(path, 0, b"no database " * 100),
    lambda path: overwrite(path, 4096, b"\xff" * (path.stat().st_size - 4096)),
    lambda path: number(path, 99),
], ids=["no database", "damaged pages", "of a later version"])
def test_an_unreadable_history_is_set_aside_and_named(kept, modules, state, spoil):
    with kept() as daemon, daemon.connect() as client:
        client.run(modules(EMPTY), **TWICE)
    spoil(state / "history.db")
    spoiled = (state / "history.db").read_bytes()
    with kept() as daemon, daemon.connect() as client:
        assert len(client.history()) == 0
        run = client.run(modules(EMPTY), **TWICE)
        assert run.accepted.stored
        aside = list(state.glob("history.db.unreadable-*Z"))
        assert len(aside) == 1 and aside[0].read_bytes() == spoiled
        assert aside[0].name in daemon.errors()
        assert "set aside" in client.status().warnings[0]
        assert "history.db" not in client.status().warnings[0], "the daemon's own files do not concern its clients"
    with kept() as daemon, daemon.connect() as client:
        assert [entry.run_id for entry in client.history()] == [run.result.run_id]


def test_a_second_daemon_leaves_the_history_of_the_first_alone(kept, build, modules, state, tmp_path):
    with kept() as daemon, daemon.connect() as client:
        job = client.run(modules(EMPTY), **TWICE).result.run_id
        with Daemon(build, tmp_path, state=state) as second, second.connect() as other:
            run = other.run(modules(EMPTY), **TWICE)
            assert not run.accepted.stored
            assert any("not stored" in warning and "cannot be opened" in warning for warning in run.result.warnings)
            assert "another process holds history.db" in second.errors()
        assert client.show(job).result.run_id == job
    assert not list(state.glob("*unreadable*"))


def test_modules_go_when_the_quota_is_full_but_not_the_pinned(kept, modules, state):
    with kept(config="[history]\nmodule_quota = 1M\nmodule_quota_per_user = 1M\n") as daemon, daemon.connect() as client:
        jobs = {}
        for name in ["a", "b", "c", "d"]:
            jobs[name] = client.run(padded(modules, 6, name), **TWICE).result.run_id
            if name == "a":
                assert client.pin(jobs["a"]).stored
        stored = {entry.run_id: entry.module_stored for entry in client.history()}
        assert [stored[jobs[name]] for name in "abcd"] == [True, False, False, True]
        assert len(list((state / "modules").iterdir())) == 2

        with pytest.raises(Failed) as failed:
            client.pin(jobs["d"])
        assert failed.value.code == "BUSY" and "pinned jobs would take" in failed.value.message
        assert "Unpin" in failed.value.hint
        assert [entry.pinned for entry in client.history()] == [False, False, False, True]
        run = client.run(padded(modules, 10, "e"), **TWICE)
        assert any("no room" in warning for warning in run.result.warnings)
        assert not client.pin(jobs["b"], False).stored
        client.pin(jobs["a"], False)
        stored = client.run(padded(modules, 10, "e"), **TWICE)
        assert not any("not stored" in warning for warning in stored.result.warnings)
        assert not client.pin(jobs["a"]).stored


@as_root
def test_the_pins_of_one_user_push_out_no_module_of_another(kept, modules, state):
    with kept(config="[history]\nmodule_quota = 2M\nmodule_quota_per_user = 1M\n") as daemon:
        with daemon.connect(uid=OTHER_UID) as owner:
            mine = owner.run(padded(modules, 6, "mine"), **TWICE).result.run_id
        with daemon.connect(uid=OTHER_UID + 1) as greedy:
            pinned = []
            for name in ["a", "b", "c", "d", "e"]:
                job = greedy.run(padded(modules, 6, name), **TWICE).result.run_id
                try:
                    pinned += [job] if greedy.pin(job).pinned else []
                except Failed as failed:
                    assert failed.code == "BUSY"
            assert len(pinned) == 1
        with daemon.connect(uid=OTHER_UID) as owner:
            assert [entry.module_stored for entry in owner.history()] == [True]
            assert owner.pin(mine).stored


def age(state, uid, jobs, benchmark_bytes):
    """Adds jobs with the ids 1, 2, ... to the history of a daemon that is not there: one of 2001, or several of just now."""
    database = sqlite3.connect(state / "history.db")
    for job in range(1, jobs + 1):
        submitted = 10**18 + job * 10**9 if jobs == 1 else time.time_ns() - (jobs - job + 1) * 10**9
        row = database.execute("INSERT INTO job (run_id, uid, state, submitted, ended, module_name, benchmarks, bytes)"
                               " VALUES (?, ?, 3, ?, ?, 'old.so', 1, ?)",
                               (f"{job:032x}", uid, submitted, submitted, benchmark_bytes)).lastrowid
        database.execute("INSERT INTO benchmark VALUES (?, 0, ?)", (row, bytes(benchmark_bytes)))
    database.commit()
    database.close()


def await_removal(client, jobs):
    """The history once so many jobs were removed from it."""
    while True:
        listing = client.call(history=pb.HistoryRequest()).history
        if listing.removed_jobs >= jobs:
            return listing


def test_a_history_that_was_set_aside_is_told_until_its_file_is_moved(kept, modules, state):
    """Also of a sound one that only could not be opened for a start: that is told too, and nothing is lost."""
    def warnings(client):
        return [list(client.call(history=pb.HistoryRequest()).history.warnings),
                [warning for warning in client.call(status=pb.StatusRequest()).status.warnings if "set aside" in warning]]

    with kept() as daemon, daemon.connect() as client:
        first = client.run(modules(EMPTY), **TWICE).result.run_id
        assert warnings(client) == [[], []]
    log = state / "history.db-wal"
    log.mkdir()
    with kept() as daemon, daemon.connect() as client:
        told = warnings(client)[0]
        assert len(told) == 1 and "in memory only" in told[0]
    log.rmdir()
    with kept() as daemon, daemon.connect() as client:
        assert client.show(first).result.run_id == first
    (state / "history.db").write_bytes(b"no database" * 1000)
    for _ in range(2):
        with kept() as daemon, daemon.connect() as client:
            of_history, of_status = warnings(client)
            assert of_history == of_status and "1 file of earlier jobs" in of_history[0]
    with kept() as daemon, daemon.connect() as client:
        for aside in state.glob("history.db.unreadable-*"):
            aside.unlink()
        assert warnings(client) == [[], []]


@as_root
def test_a_user_with_too_much_history_loses_the_oldest_jobs_and_is_told_when_asked(kept, modules, state):
    with kept(config="[history]\nkeep_per_user = 1M\n") as daemon:
        with daemon.connect(uid=OTHER_UID) as other:
            theirs = other.run(modules(EMPTY), **TWICE).result.run_id
    age(state, uid=OTHER_UID + 1, jobs=3, benchmark_bytes=600 * 1024)
    with kept(config="[history]\nkeep_per_user = 1M\n") as daemon:
        with daemon.connect(uid=OTHER_UID + 1) as greedy:
            newest = greedy.run(modules(EMPTY), **TWICE).result.run_id
            listing = await_removal(greedy, 2)
            assert listing.removed_until_unix_ns < listing.entries[-1].submitted_at_unix_ns
            assert [entry.run_id for entry in listing.entries] == [newest, f"{3:032x}"]
            assert code_of(greedy.show, f"{1:032x}") == "NOT_FOUND"
        with daemon.connect(uid=OTHER_UID) as other:
            assert other.show(theirs).result.run_id == theirs
            assert other.call(history=pb.HistoryRequest()).history.removed_jobs == 0


CLOCK = """
#include <string.h>
#include <sys/timex.h>
int adjtimex(struct timex *state)
{
        memset(state, 0, sizeof *state);
        state->status = SYNCHRONISED ? 0 : STA_UNSYNC;
        return SYNCHRONISED ? TIME_OK : TIME_ERROR;
}
"""


@pytest.mark.skipif(IS_SANITIZED, reason="the sanitizers want to be the first library")
def test_a_job_goes_when_it_is_older_than_is_kept_and_the_clock_is_synchronised(kept, modules, state, tmp_path):
    def clock(synchronised):
        library = tmp_path / f"clock{synchronised}.so"
        tree.compile_text(CLOCK, library, "-shared", "-fPIC", f"-DSYNCHRONISED={synchronised}")
        return os.environ | {"LD_PRELOAD": str(library)}

    with kept():
        pass
    age(state, uid=os.getuid(), jobs=1, benchmark_bytes=10)
    old = f"{1:032x}"
    with kept(env=clock(0)) as daemon, daemon.connect() as client:
        young = client.run(modules(EMPTY), **TWICE).result.run_id
    with kept(env=clock(0)) as daemon, daemon.connect() as client:
        assert [entry.run_id for entry in client.history()] == [young, old]
    with kept(env=clock(1)) as daemon, daemon.connect() as client:
        listing = await_removal(client, 1)
        assert [entry.run_id for entry in listing.entries] == [young]


def uses_of(client):
    return {(use.uid, use.name): use for use in client.status().uses}


@as_root
def test_each_user_is_told_of_the_own_use_and_root_of_everybodys(kept, modules):
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as owner, daemon.connect(uid=OTHER_UID + 1) as other:
        owner.run(modules(EMPTY), **TWICE)
        mine = uses_of(owner)
        assert {uid for uid, _ in mine} == {OTHER_UID}
        assert (mine[OTHER_UID, "clients"].held, mine[OTHER_UID, "clients"].most) == (1, 64)
        assert mine[OTHER_UID, "jobs"].held == 0
        assert mine[OTHER_UID, "history"].held > 1024 and mine[OTHER_UID, "modules"].held > 4096
        assert not any(use.HasField("held_by_all") for use in mine.values())
        assert uses_of(other)[OTHER_UID + 1, "modules"].held == 0
        with daemon.connect(uid=0) as root:
            all_uses = uses_of(root)
        assert {uid for uid, _ in all_uses} == {0, OTHER_UID, OTHER_UID + 1}
        assert all_uses[OTHER_UID, "clients"].held_by_all == 3
        assert all_uses[OTHER_UID, "modules"].held == mine[OTHER_UID, "modules"].held


def test_a_module_is_kept_once_and_whole(kept, modules, state):
    path = modules(EMPTY)
    with kept() as daemon, daemon.connect() as client:
        sha256 = [client.run(path, **TWICE).result.module.sha256 for _ in range(2)]
    kept_files = list((state / "modules").iterdir())
    assert [file.name for file in kept_files] == [sha256[0]]
    assert kept_files[0].read_bytes() == path.read_bytes()


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_a_full_disk_costs_the_history_and_not_the_run(kept, modules, state):
    with kept() as daemon, daemon.connect() as client:
        before = client.run(modules(TWO), **TWICE)
        full_disk = faults.Strace(daemon.front_end(), "/dev/null", "pwrite64,fsync,fdatasync:error=ENOSPC", births=True)
        try:
            full_disk.__enter__()
        except faults.Untraced as refused:
            pytest.skip(f"needs the right to trace: {refused}")
        runs = []

        def is_full():  # for its first calls after the tracer has come the disk can still have room
            runs.append(client.run(modules(EMPTY, name="full"), **TWICE))
            return not runs[-1].accepted.stored

        client.until(is_full, "the disk is full")
        run = runs[-1]
        assert run.result.verdict in MEASURED
        assert len(run.benchmarks) == 1
        assert any(warning.startswith("not stored: ") for warning in run.result.warnings)
        job = client.detach(modules(EMPTY, name="full"), **TWICE)
        assert not job.stored
        again = client.run(modules(TWO), **TWICE)  # whose module is stored since the first run
        assert "not stored: no space is left in the state directory" in again.result.warnings
        assert not any("the module" in warning for warning in again.result.warnings)
        full_disk.__exit__()
        after = client.run(modules(EMPTY, name="after"), **TWICE)
        assert after.accepted.stored
        assert not any("not stored" in warning for warning in after.result.warnings)
        assert client.show(before.result.run_id).benchmarks == before.benchmarks
        assert client.show(after.result.run_id).benchmarks == after.benchmarks


def test_a_state_directory_that_cannot_be_written_is_told_with_each_result(build, modules, tmp_path):
    state = tmp_path / "state"
    state.write_text("no directory")
    with Daemon(build, tmp_path, state=state) as daemon, daemon.connect() as client:
        run = client.run(modules(EMPTY), **TWICE)
        assert not run.accepted.stored
        assert any("not stored" in warning for warning in run.result.warnings)
        assert client.show(run.result.run_id).result == run.result
        assert "cannot be opened" in daemon.errors()
