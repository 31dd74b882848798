# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns: who has the core next, where several users want it. By the order of what happens, and never by how long it takes."""

import os

import pytest

import benchd_pb2 as pb
from support.client import FOREVER, MEASURED, Closed, Failed
from support.daemon import Daemon
from support.modules import EMPTY, SPINS
from support.paths import open_directory

TOUCHES = "queue share turns slices places"


USER, OTHER, THIRD = 2001, 2002, 2003

# A process of it takes more than half a turn, so that it is a turn: its set-up waits, which is not timed.
SLOW = """
#include <poll.h>

BENCH(slow)
{
        poll(NULL, 0, 1200);
        bench_loop(b) bench_clobber();
}
"""
HANGS = "__attribute__((constructor)) static void hang(void) { for (;;) __asm__ volatile(\"\"); }\n" + EMPTY
BRIEF = dict(samples=2, min_time_ns=10_000, warmup_ns=1_000_000)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="root is needed to connect as somebody else")


@pytest.fixture
def start(build):
    """Starts a daemon with lines of configuration, in a directory that other users can reach."""
    with open_directory() as directory:
        yield lambda config="": Daemon(build, directory, config=config, launch=["--no-probes"])


def turned_away(daemon, **options):
    """The error that one more connection gets in place of a greeting."""
    with daemon.connect(hello=False, **options) as client:
        error = client.receive().error
        with pytest.raises(Closed):
            client.receive()
    assert error.code == pb.Error.BUSY
    return error


def follow(client, run_id, stage=pb.Progress.MEASURING):
    """Waits until the job is at this stage; returns what was told of it."""
    request = client.send(wait=pb.WaitRequest(run_id=run_id))
    for reply in client.replies(request):
        if reply.HasField("progress") and reply.progress.stage == stage:
            client.call(cancel=pb.CancelRequest(request_id=request))
            return reply.progress


def ends(client, run_ids):
    """The jobs in the order of their ends."""
    entries = {entry.run_id: entry for entry in client.history(all_users=True)}
    assert all(entries[run_id].state == pb.JOB_DONE for run_id in run_ids), entries
    return sorted(run_ids, key=lambda run_id: entries[run_id].ended_at_unix_ns)


def test_a_users_day_of_jobs_costs_another_user_a_turn(start, modules):
    slow = modules(SLOW)
    with (start("[run]\ntimeout_max=86400\n") as daemon, daemon.connect(uid=USER) as greedy, daemon.connect(uid=OTHER) as other,
          daemon.connect() as root):
        jobs = []
        for _ in range(8):
            jobs.append(greedy.detach(slow, processes=1000, timeout_ns=86400 * 10**9, **BRIEF).run_id)
            follow(greedy, jobs[0])  # it is in the line before another is
        run = other.run(slow, processes=2, **BRIEF)
        assert run.result.verdict in MEASURED
        states = {entry.run_id: entry.state for entry in root.history(all_users=True)}
        assert [states[job] for job in jobs] == [pb.JOB_RUNNING] + 7 * [pb.JOB_QUEUED]
        assert run.result.turns == 2 and run.result.waited_ns > 0, "one process each, a turn of the first between them"
        for job in jobs:
            assert greedy.cancel_job(job)
        result = root.show(jobs[0]).result
        assert result.verdict == pb.RunResult.PARTIAL and result.turns >= 2


def test_in_a_users_line_the_first_come_is_the_first_served(start, modules):
    slow = modules(SLOW)
    with start() as daemon, daemon.connect(uid=USER) as client, daemon.connect(uid=OTHER) as other, daemon.connect() as root:
        spins = root.detach(modules(SPINS), **FOREVER).run_id
        follow(root, spins)
        first = client.detach(slow, processes=3, **BRIEF).run_id
        follow(client, first, pb.Progress.QUEUED)  # it is in the line before another is
        second = client.detach(slow, processes=1, **BRIEF).run_id
        told = follow(client, second, pb.Progress.QUEUED)
        assert told.standing.own_before == 1 and not told.standing.over_budget
        third = other.detach(slow, processes=2, **BRIEF).run_id
        follow(other, third, pb.Progress.QUEUED)
        root.cancel_job(spins)
        for client_of, job in [(client, first), (client, second), (other, third)]:
            client_of.wait(job)
        assert ends(root, [first, second, third]) == [third, first, second]


def test_who_waits_is_told_for_whom_and_about_how_long(start, modules):
    with start() as daemon, daemon.connect(uid=USER) as first, daemon.connect(uid=OTHER) as other:
        spins = first.detach(modules(SPINS), **FOREVER).run_id
        assert follow(first, spins).users == 1
        job = other.detach(modules(EMPTY), quick=True).run_id
        told = follow(other, job, pb.Progress.QUEUED)
        assert (told.queue_position, told.standing.turns_before, told.standing.own_before) == (1, 1, 0)
        assert (told.process, told.processes) == (0, 4) and told.left_ns > 0
        entry = other.history()[0]
        assert entry.state == pb.JOB_QUEUED and entry.standing.turns_before == 1
        status = other.status()
        assert [queued.run_id for queued in status.queue] == [job], "another user's job is not shown"
        assert status.queue[0].standing.turns_before == 1 and status.queue[0].processes == 4
        assert status.next.own_before == 1
        assert status.core_left_ns == status.core_per_hour_ns == 1800 * 10**9
        with daemon.connect() as root:
            assert {queued.run_id for queued in root.status().queue} == {spins, job}
            assert not root.status().HasField("core_left_ns")
        first.cancel_job(spins)
        assert other.wait(job).result.turns == 1
        assert not other.history()[0].HasField("standing")


def test_a_job_between_its_turns_is_told_of_and_can_be_cancelled_with_what_it_has(start, modules):
    with start() as daemon, daemon.connect(uid=USER) as client, daemon.connect(uid=OTHER) as other:
        job = client.detach(modules(SLOW), processes=1000, **BRIEF).run_id
        follow(client, job)
        spins = other.detach(modules(SPINS), **FOREVER).run_id
        told = follow(client, job, pb.Progress.QUEUED)
        assert told.process >= 1 and told.processes == 1000 and told.users == 2
        assert client.history()[0].state == pb.JOB_RUNNING and client.history()[0].standing.turns_before == 1
        assert client.cancel_job(job)
        run = client.show(job)
        assert run.result.verdict == pb.RunResult.PARTIAL
        assert [len(benchmark.processes) for benchmark in run.benchmarks.values()] == [told.process]
        other.cancel_job(spins)


def test_a_client_that_vanishes_between_turns_or_in_one_leaves_the_core_to_the_next(start, modules):
    slow = modules(SLOW)
    with start() as daemon, daemon.connect(uid=OTHER) as other:
        gone = daemon.connect(uid=USER)
        request = gone.submit(slow, processes=1000, **BRIEF)
        for reply in gone.replies(request):
            if reply.progress.stage == pb.Progress.MEASURING:
                break
        job = other.detach(slow, processes=3, **BRIEF).run_id
        for reply in gone.replies(request):
            if reply.progress.stage == pb.Progress.QUEUED and reply.progress.process > 0:
                break
        gone.socket.close()
        assert other.wait(job).result.verdict in MEASURED
        assert daemon.find("benchd-runner") == []


def test_who_has_used_up_the_core_time_of_an_hour_waits_for_all_others(start, modules):
    slow = modules(SLOW)
    with (start("[queue]\ncore_time_per_hour=2\n") as daemon, daemon.connect(uid=USER) as client,
          daemon.connect(uid=OTHER) as other, daemon.connect() as root):
        assert client.run(slow, processes=3, **BRIEF).result.verdict in MEASURED
        assert client.status().core_left_ns == 0
        spins = root.detach(modules(SPINS), **FOREVER).run_id
        follow(root, spins)
        first = client.detach(slow, processes=1, **BRIEF).run_id
        second = other.detach(slow, processes=1, **BRIEF).run_id
        assert follow(client, first, pb.Progress.QUEUED).standing.over_budget
        assert not follow(other, second, pb.Progress.QUEUED).standing.over_budget
        root.cancel_job(spins)
        client.wait(first)
        assert ends(root, [first, second]) == [second, first]


def test_modules_that_take_long_to_load_keep_no_other_user_waiting(start, modules):
    hangs, empty = modules(HANGS), modules(EMPTY)
    users = (USER, OTHER, THIRD)
    with (start("[queue]\njobs=200\njobs_per_user=40\n[run]\nlisting_timeout=600\n") as daemon, daemon.connect(uid=2004) as newcomer,
          daemon.connect() as root):
        jobs = []
        for uid in users:
            with daemon.connect(uid=uid) as client:
                jobs += [client.detach(hangs, **BRIEF).run_id for _ in range(12)]  # as many as the launcher has places, and more
        assert newcomer.run(empty, processes=1, **BRIEF).result.verdict in MEASURED
        assert [benchmark.name for benchmark in newcomer.list(empty).benchmarks] == ["empty"]
        states = {entry.run_id: entry.state for entry in root.history(all_users=True)}
        assert {states[job] for job in jobs} == {pb.JOB_QUEUED}, "none of them has ended"
        for job in jobs:
            assert root.cancel_job(job)


def test_a_users_own_modules_are_loaded_in_the_order_of_submission(start, modules):
    hangs, empty = modules(HANGS), modules(EMPTY)
    with (start("[queue]\njobs_per_user=20\n[run]\nlisting_timeout=600\n") as daemon, daemon.connect(uid=USER) as client,
          daemon.connect() as root):
        hanging = [client.detach(hangs, **BRIEF).run_id for _ in range(4)]
        jobs = [client.detach(empty, processes=1, **BRIEF).run_id for _ in range(3)]
        assert client.cancel_job(hanging[0])
        for job in jobs:
            client.wait(job)
        assert ends(root, jobs) == jobs
        for job in hanging[1:]:
            assert client.cancel_job(job)


def test_places_are_kept_for_root_and_a_refusal_says_which_limit_it_is(start, modules):
    with start("[queue]\njobs=3\njobs_per_user=1\njobs_for_root=1\n") as daemon, daemon.connect() as root:
        clients = [daemon.connect(uid=uid) for uid in (USER, OTHER, THIRD)]
        jobs = [client.detach(modules(SPINS), **FOREVER).run_id for client in clients[:2]]
        with pytest.raises(Failed) as failed:
            clients[0].run(modules(EMPTY), quick=True)
        assert failed.value.code == "BUSY" and "jobs_per_user=" in failed.value.hint
        assert failed.value.message == "This user has 1 job waiting or under way, the limit for one user."
        with pytest.raises(Failed) as failed:
            clients[2].run(modules(EMPTY), quick=True)
        assert failed.value.code == "BUSY" and "jobs_for_root=" in failed.value.hint
        assert failed.value.message == "All 2 places for jobs are taken; 1 more is kept for root."
        job = root.detach(modules(EMPTY), quick=True).run_id
        for spins in jobs:
            root.cancel_job(spins)
        assert root.wait(job).result.verdict in MEASURED
        for client in clients:
            client.socket.close()


def test_users_who_take_all_connections_leave_some_to_root(start, modules):
    """Who then sees and ends what they run."""
    with start("[connections]\nclients=8\nclients_per_user=4\nclients_for_root=2\n") as daemon:
        clients = [daemon.connect(uid=uid) for uid in (USER, USER, USER, OTHER, OTHER, OTHER)]
        spins = clients[0].detach(modules(SPINS), **FOREVER).run_id
        for uid in (USER, OTHER, THIRD):
            error = turned_away(daemon, uid=uid)
            assert error.message == "All 6 places for connections are taken; 2 more are kept for root."
            assert error.hint == "Try again when one is closed. The limit is clients= of benchd.conf, of which clients_for_root= are root's."
        roots = [daemon.connect() for _ in range(2)]
        assert roots[0].status().daemon
        roots[1].cancel_job(spins)
        assert turned_away(daemon).message == "All 8 places for connections are taken."
        for client in clients + roots:
            client.socket.close()


def test_few_connections_are_not_all_roots_who_has_the_limit_of_a_user(start):
    with start("[connections]\nclients=3\nclients_per_user=1\n") as daemon:
        with daemon.connect(uid=USER):
            assert turned_away(daemon, uid=OTHER).message == "The only place for a connection is taken; 2 more are kept for root."
            with daemon.connect():
                error = turned_away(daemon)
                assert error.message == "This user has 1 connection open, the limit for one user."
                assert error.hint == "Close one of them first. The limit is clients_per_user= of benchd.conf."


def test_samples_are_bounded_for_each_user_in_words(start, modules):
    many = dict(samples=4096, min_time_ns=1000, warmup_ns=1_000_000, seed=1)
    with start("[memory]\nsamples_per_user=1M\n") as daemon, daemon.connect(uid=USER) as user, daemon.connect(uid=OTHER) as other:
        with pytest.raises(Failed) as failed:
            user.run(modules(EMPTY), processes=18, **many)
        assert failed.value.code == "BUSY"
        assert "samples of this user's runs" in failed.value.message and "memory.samples_per_user= of benchd.conf, is 1 MiB" in failed.value.message
        assert user.run(modules(EMPTY), processes=2, **many).result.verdict in MEASURED, "what it held is given back"
        assert other.run(modules(EMPTY), processes=2, **many).result.verdict in MEASURED
        (use,) = [use for use in user.status().uses if use.name == "samples"]
        assert (use.held, use.most, use.bytes) == (0, 1 << 20, True)
