# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may do what: the section [access] of the configuration, each refusal with its rule. Without a bus polkit allows nobody."""

import os
import pwd

import pytest

import benchd_pb2 as pb
from support.client import MEASURED, Failed
from support.daemon import Daemon
from support.users import OTHER_UID, as_root

TOUCHES = "access permission polkit allow-list"

NEVER = "nobody"  # who has an entry and runs nothing


@pytest.fixture
def granting(build, state, tmp_path):
    """A daemon with these lines of [access], and with a state."""
    def start(*lines):
        config = "\n".join(["[access]", *lines]) + "\n"
        nowhere = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/no-bus"}
        return Daemon(build, state.parent, state=state, config=config, env=nowhere)
    return start


@pytest.fixture
def module(modules):
    return modules('BENCH(x, .area = "a") { bench_loop(b) bench_clobber(); }')


def refusal(call, *arguments, **options):
    with pytest.raises(Failed) as failed:
        call(*arguments, **options)
    return failed.value


def list_module(client, module):
    request = client.send(client.module_fds(module), list=pb.ListRequest(module_name="module"))
    return [reply for reply in client.replies(request)]


def inspect(client, module):
    request = client.send(client.module_fds(module), inspect=pb.InspectRequest(module_name="module", benchmark="x"))
    return [reply for reply in client.replies(request)]


VERBS = [
    ("run", lambda client, module: client.run(module, quick=True), "run benchmarks"),
    ("list", list_module, "list or inspect modules"),
    ("list", inspect, "list or inspect modules"),
    ("status", lambda client, module: client.status(), "ask for the status"),
    ("history", lambda client, module: client.history(all_users=True), "see other users' jobs"),
    ("set_governor", lambda client, module: client.call(set_governor=pb.SetGovernorRequest(name="x")), "set the governor"),
    ("drop_caches", lambda client, module: client.call(drop_caches=pb.DropCachesRequest()), "have the page cache dropped"),
]


@as_root
@pytest.mark.parametrize("option, do, words", VERBS, ids=["run", "list", "inspect", "status", "history", "set_governor", "drop_caches"])
def test_who_is_not_listed_is_refused_with_the_rule_that_it_was(granting, module, option, do, words):
    with granting(f"{option} = {NEVER}") as daemon:
        with daemon.connect(uid=OTHER_UID) as client:
            error = refusal(do, client, module)
            assert error.code == "DENIED" and error.message == f"This user may not {words}" + (
                " of this machine." if option == "set_governor" else ".")
            assert f"{option}= of [access] (benchd.conf)" in error.hint and f"org.benchd.{option.replace('_', '-')}" in error.hint
            if option != "status":
                assert client.status().daemon, "one verb is not another"
        if option != "set_governor":
            with daemon.connect() as root:
                do(root, module)


@as_root
def test_who_is_listed_by_name_or_by_group_or_as_everyone_may(granting, module):
    someone = pwd.getpwnam("daemon")
    for who in ["daemon", "@daemon", "nobody, daemon", "*"]:
        with granting(f"run={who}", "list=root") as daemon, daemon.connect(uid=someone.pw_uid) as client:
            assert client.run(module, quick=True).result.verdict in MEASURED
            assert refusal(list_module, client, module).code == "DENIED"


@as_root
def test_other_users_jobs_are_seen_and_cancelled_by_who_is_listed_and_do_not_exist_for_others(granting, module, modules):
    someone = pwd.getpwnam("daemon").pw_uid
    with granting("history=daemon", "cancel=@daemon") as daemon:
        with daemon.connect(uid=OTHER_UID) as owner, daemon.connect(uid=someone) as listed:
            with daemon.connect(uid=OTHER_UID + 1) as stranger:
                job = owner.run(module, quick=True).result.run_id
                spins = modules('BENCH(x, .area = "a") { bench_loop(b) for (;;) bench_clobber(); }', name="spins")
                running = owner.detach(spins, quick=True).run_id

                assert listed.show(job).result.run_id == job and listed.pin(job).pinned
                assert {entry.run_id for entry in listed.history(all_users=True)} == {job, running}
                for call, rule in [(stranger.show, "history="), (stranger.wait, "history="), (stranger.pin, "cancel="),
                                   (stranger.cancel_job, "cancel=")]:
                    errors = [refusal(call, which) for which in (job, "0123456789abcdef")]
                    assert {error.code for error in errors} == {"NOT_FOUND"}
                    assert errors[0].hint == errors[1].hint and f"{rule} of [access]" in errors[0].hint
                assert listed.cancel_job(running)


def test_a_request_of_a_daemon_of_ones_own_is_never_refused(granting, module):
    if os.geteuid() == 0:
        pytest.skip("the daemon of root")
    with granting("run=root", "list=root", "status=root") as daemon, daemon.connect() as client:
        assert client.run(module, quick=True).result.verdict in MEASURED
        assert client.status().daemon
