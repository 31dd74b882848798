# SPDX-License-Identifier: GPL-3.0-or-later
"""Both halves of the daemon limit their own system calls, also where no unit does; nothing of that reaches what is measured."""

import pathlib

from support.client import MEASURED


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
    assert filters(daemon, "benchd-launch") == filters(daemon, "benchd") == {("2", "1", "1")}
    assert filters(daemon, "benchd-zygote") == {("0", "0", "1")}
