# SPDX-License-Identifier: GPL-3.0-or-later
"""Either half dies at any moment, again and again: what a client was told is there when the daemon is back."""

import os
import random
import threading

import benchd_pb2 as pb
from support.client import BRIEF, MEASURED, Closed, Failed
from support.daemon import Daemon
from support.modules import EMPTY

TOUCHES = "launcher front-link launch-link daemon/front/history/*"

KILLS = int(os.environ.get("BENCHD_KILLS", "20"))
SEED = int(os.environ.get("BENCHD_SEED", random.SystemRandom().getrandbits(32)))
LATEST_S = 1.0


class Told:
    """What the daemon acknowledged."""

    def __init__(self):
        self.results = {}  # run_id -> Run
        self.accepted = set()

    def submit_until_it_dies(self, daemon, module, chance):
        try:
            with daemon.connect() as client:
                while True:
                    self.submit(client, module, chance)
        except (Closed, ConnectionError):
            pass

    def submit(self, client, module, chance):
        if chance.random() < 0.5:
            run = client.run(module, **BRIEF)
            self.results[run.result.run_id] = run
        try:
            accepted = client.detach(module, **BRIEF)
        except Failed as failed:
            assert failed.code == "BUSY"
            return
        assert accepted.stored
        self.accepted.add(accepted.run_id)
        if chance.random() < 0.5:
            self.results[accepted.run_id] = client.wait(accepted.run_id)

    def check(self, client):
        for run_id, run in self.results.items():
            shown = client.show(run_id)
            assert shown.result == run.result and shown.benchmarks == run.benchmarks
        states = {entry.run_id: entry.state for entry in client.history(limit=1000)}
        assert self.accepted <= set(states)
        assert set(states.values()) <= {pb.JOB_DONE, pb.JOB_LOST, pb.JOB_CANCELLED}
        self.__init__()


def test_nothing_that_was_told_is_lost_when_either_half_is_killed(build, modules, state):
    print(f"BENCHD_SEED={SEED} BENCHD_KILLS={KILLS}")
    chance = random.Random(SEED)
    module = modules(EMPTY)
    told, n_results, latest_s = Told(), 0, LATEST_S
    for _ in range(KILLS + 1):
        daemon = Daemon(build, state.parent, state=state)
        daemon.__enter__()
        with daemon.connect() as client:
            told.check(client)
            run = client.run(module, **BRIEF)
            assert run.result.verdict in MEASURED and len(run.benchmarks) == 1
        victim = daemon.find(chance.choice(["benchd", "benchd-launch"]))[0]
        timer = threading.Timer(chance.uniform(0, latest_s), daemon.kill, [victim])
        timer.start()
        told.submit_until_it_dies(daemon, module, chance)
        timer.join()
        daemon.bury()
        n_results += len(told.results)
        if not told.results:
            latest_s *= 1.2  # on a busy machine it takes longer until something is told
    assert n_results > 0
    assert not list(state.glob("*unreadable*"))
