# SPDX-License-Identifier: GPL-3.0-or-later
"""Both halves of the daemon limit their own system calls, also where no unit does; nothing of that reaches what is measured."""

from support.client import MEASURED
from support.modules import SPINS
from support.processes import read_proc

TOUCHES = "call-filter receiver front-calls capabilities"


def status(pid):
    """Empty for a process that has ended since it was found: a receiver, or who shortened an output."""
    lines = read_proc(pid, "status").decode().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def filters(daemon, name):
    found = [own for own in map(status, daemon.find(name)) if own]
    assert found, f"there is no {name}"
    return {(own["Seccomp"], own["Seccomp_filters"], own["NoNewPrivs"]) for own in found}


def test_each_half_has_one_filter_and_the_zygote_of_runners_none(daemon, client, modules):
    module = modules('BENCH(x, .area = "a") { bench_loop(b) bench_clobber(); }')
    assert client.run(module, quick=True).result.verdict in MEASURED
    around = status("self")  # a container may have a filter of its own
    assert filters(daemon, "benchd-launch") == filters(daemon, "benchd") == {("2", str(int(around["Seccomp_filters"]) + 1), "1")}
    assert filters(daemon, "benchd-zygote") == {(around["Seccomp"], around["Seccomp_filters"], "1")}


def halves_that_receive(daemon):
    return {int(status(pid).get("PPid", 0)) for pid in daemon.find("benchd-receive")} & {daemon.process.pid, daemon.front_end()}


def kinds(daemon, around):
    """By its name, whether a process has a filter of its own, and whether it may gain privileges."""
    found = {}
    for pid, name in daemon.processes().items():
        own = status(pid)
        if own:
            found.setdefault(name, set()).add((int(own["Seccomp_filters"]) > around, own["NoNewPrivs"]))
    return found


def test_each_process_of_a_daemon_that_serves_has_a_filter_but_what_is_measured(daemon, client, modules):
    """Receivers of both halves among them, whose own stands behind that of their half, if there was one when they were born."""
    spins = client.detach(modules(SPINS), processes=1, timeout_ns=600 * 10**9).run_id
    around = int(status("self")["Seccomp_filters"])
    unfiltered = {"benchd-zygote", "benchd-runner", "benchd-cell"}
    seen = []

    def only_the_run_is_left():
        """Its module is listed and inspected first, by processes that come and go."""
        seen.append(kinds(daemon, around))
        return seen[-1].keys() - unfiltered == {"benchd", "benchd-launch", "benchd-receive", "benchd-close"} and "benchd-runner" in seen[-1]

    client.until(lambda: len(halves_that_receive(daemon)) == 2 and only_the_run_is_left())
    client.cancel_job(spins)
    for name, own in seen[-1].items():
        assert own == {(name not in unfiltered, "1")}, name
