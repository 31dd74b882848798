# SPDX-License-Identifier: GPL-3.0-or-later
"""Both halves of the daemon limit their own system calls, also where no unit does; nothing of that reaches what is measured."""

import pathlib

from support.client import MEASURED

SPINS = "BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }"


def status(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def filters(daemon, name):
    found = [status(pid) for pid in daemon.find(name)]
    assert found, f"there is no {name}"
    return {(own["Seccomp"], own["Seccomp_filters"], own["NoNewPrivs"]) for own in found}


def test_each_half_has_one_filter_and_the_zygote_of_runners_none(daemon, client, modules):
    module = modules('BENCH(x, .area = "a") { bench_loop(b) bench_clobber(); }')
    assert client.run(module, quick=True).result.verdict in MEASURED
    around = status("self")  # a container may have a filter of its own
    assert filters(daemon, "benchd-launch") == filters(daemon, "benchd") == {("2", str(int(around["Seccomp_filters"]) + 1), "1")}
    assert filters(daemon, "benchd-zygote") == {(around["Seccomp"], around["Seccomp_filters"], "1")}


def test_each_process_of_a_daemon_that_serves_has_a_filter_but_what_is_measured(daemon, client, modules):
    """Receivers of both halves among them, whose own stands behind that of their half, if there was one when they were born."""
    spins = client.detach(modules(SPINS), processes=1, timeout_ns=600 * 10**9).run_id
    client.until(lambda: daemon.find("benchd-runner"))
    owner = {pid: name for name in ("benchd", "benchd-launch") for pid in daemon.find(name)}
    found = {}
    for pid, name in daemon.processes().items():
        own = status(pid)
        found.setdefault(name, []).append((int(own["Seccomp_filters"]) > int(status("self")["Seccomp_filters"]), own["NoNewPrivs"]))
        if name == "benchd-receive":
            owner.pop(int(own["PPid"]), None)
    client.cancel_job(spins)

    unfiltered = {"benchd-zygote", "benchd-runner", "benchd-cell"}
    assert {name for name in found if name not in unfiltered} == {"benchd", "benchd-launch", "benchd-receive"}
    for name, own in found.items():
        assert set(own) == {(name not in unfiltered, "1")}, name
    assert not owner, f"{owner} has no receiver"
