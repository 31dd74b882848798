# SPDX-License-Identifier: GPL-3.0-or-later
"""What an earlier job measured, kept by the daemon, measured again beside a new module."""

import subprocess

import pytest

import benchd_pb2 as pb
from support.benchctl import Benchctl
from support.client import FEW, MEASURED, Failed, comparisons, sealed_memfd
from support.daemon import Daemon
from support.modules import CHAIN, SPINS, padded
from support.users import OTHER_UID, as_root

TOUCHES = "daemon/front/history/module-* private-results"


@pytest.fixture
def daemon(kept):
    with kept() as daemon:
        yield daemon


@pytest.fixture
def short(modules):
    return modules(CHAIN.format(n=100), name="short")


@pytest.fixture
def long(modules):
    return modules(CHAIN.format(n=200), name="long")


def sides(run):
    """Which chain was measured on the new side, and which on the old one."""
    return tuple(run.benchmarks[name].counters[0].value for name in ["a/chain", "a/chain old"])


def refusal(call, *arguments, **options):
    with pytest.raises(Failed) as failed:
        call(*arguments, **options)
    return failed.value


def test_the_module_of_an_earlier_job_is_the_old_side_or_the_new_one(client, short, long):
    job = client.run(short, **FEW).result
    as_old = client.compare(long, job.run_id, **FEW)
    as_new = client.compare(job.run_id[:8], long, **FEW)

    assert (sides(as_old), sides(as_new)) == ((200, 100), (100, 200))
    assert as_old.result.old_module.name == as_new.result.module.name == short.name
    assert as_old.result.old_module.sha256 == as_new.result.module.sha256 == job.module.sha256


def test_two_earlier_jobs_are_compared_and_a_comparison_is_recalled_by_its_new_side(client, short, long):
    old, new = (client.run(module, **FEW).result.run_id for module in (short, long))
    compared = client.compare(new, old, **FEW)
    again = client.compare(compared.result.run_id, old, **FEW)

    assert sides(compared) == sides(again) == (200, 100)
    assert again.result.module.name == long.name and client.history()[0].module_name == long.name


def test_a_job_is_run_again_as_it_was(client, short):
    first = client.run(short, **FEW)
    again = client.collect(client.send(run=pb.RunRequest(stored_run_id=first.result.run_id, **FEW)))

    assert again.result.verdict in MEASURED and again.benchmarks.keys() == first.benchmarks.keys()
    assert again.result.module == first.result.module and again.result.run_id != first.result.run_id


def test_its_libraries_come_with_it(client, modules, tmp_path):
    (tmp_path / "own.c").write_text("int own(void) { return 1; }")
    library = tmp_path / "libown.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libown.so", tmp_path / "own.c", "-o", library], check=True)
    uses = 'int own(void); BENCH(x, .area = "a") { bench_loop(b) bench_use(own()); }'
    module = modules(uses, str(library), name="uses")
    job = client.run(module, [library], **FEW).result
    run = client.compare(module, job.run_id, new_libraries=[library], **FEW)

    assert 0 < comparisons(run)["a/x"].processes <= FEW["processes"], "a process that was preempted too often does not count"
    assert run.result.old_module.libraries == job.module.libraries and len(job.module.libraries) == 1


def test_the_kept_module_is_another_file_than_the_one_that_was_overwritten(client, short, long, tmp_path):
    path = tmp_path / "mine.so"
    path.write_bytes(short.read_bytes())
    job = client.run(path, **FEW).result
    path.write_bytes(long.read_bytes())
    run = client.compare(path, job.run_id, **FEW)

    assert sides(run) == (200, 100)


def test_it_is_there_after_the_daemon_began_anew(kept, short, long):
    with kept() as daemon, daemon.connect() as client:
        job = client.run(short, **FEW).result.run_id
    with kept() as daemon, daemon.connect() as client:
        assert sides(client.compare(long, job, **FEW)) == (200, 100)


def test_what_cannot_be_recalled_is_refused_in_words(client, modules, short):
    failed = client.detach(b"no module at all", **FEW).run_id
    refusal(client.wait, failed)
    running = client.start(modules(SPINS))
    for job, code, words in [("0123abcd", "NOT_FOUND", "No job of yours"), ("xyz", "BAD_REQUEST", "hexadecimal"),
                             (failed, "NOT_FOUND", "without a result"), (running, "NOT_DONE", "not over yet")]:
        for sides in [(short, job), (job, short)]:
            error = refusal(client.compare, *sides, **FEW)
            assert error.code == code and words in error.message
    assert client.cancel_job(running)


def test_what_comes_with_descriptors_is_not_recalled_too(client, short):
    job = client.run(short, **FEW).result.run_id
    assert refusal(lambda: client.collect(client.submit(short, stored_run_id=job))).code == "PROTOCOL"
    comparison = pb.Comparison(run_id=job, library_names=["libown.so"])
    assert refusal(lambda: client.collect(client.submit(short, comparison=comparison))).code == "PROTOCOL"
    assert client.run(short, **FEW).result.verdict in MEASURED


@as_root
def test_the_module_of_another_user_is_not_run_even_where_its_result_is_shown(kept, short, state):
    for shared, code in [(False, "NOT_FOUND"), (True, "DENIED")]:
        with kept(config="[access]\nhistory = *\n" if shared else None) as daemon:
            with daemon.connect(uid=OTHER_UID) as owner:
                job = owner.run(short, **FEW).result.run_id
            with daemon.connect(uid=OTHER_UID + 1) as other:
                assert refusal(other.compare, short, job, **FEW).code == code
            with daemon.connect(uid=0) as root:
                assert comparisons(root.compare(short, job, **FEW))


@as_root
def test_the_launcher_runs_no_stored_module_for_which_it_cannot_vouch(kept, short, long):
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client:
        job = client.run(short, **FEW).result.run_id
        key = daemon.socket.with_name(daemon.socket.name + ".key")
        assert key.stat().st_mode & 0o777 == 0o600 and key.stat().st_uid == 0
    key.unlink()
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client:
        error = refusal(client.compare, long, job, **FEW)
        assert error.code == "DENIED" and "this user made" in error.message and "Name the file" in error.hint
        assert client.run(short, **FEW).result.verdict in MEASURED


@as_root
def test_a_module_that_another_user_made_is_refused_in_words(kept, short):
    with kept() as daemon, daemon.connect(uid=OTHER_UID) as client:
        fd = sealed_memfd(short.read_bytes())
        request = client.send([fd], run=pb.RunRequest(module_name="short"))
        error = refusal(client.collect, request)
    assert error.code == "DENIED" and "another user" in error.message


def test_a_module_that_lost_its_room_is_named(kept, modules, state):
    with kept(config="[history]\nmodule_quota = 1M\n") as daemon, daemon.connect() as client:
        first = client.run(padded(modules, 6, "first"), **FEW).result.run_id
        client.run(padded(modules, 12, "second"), **FEW)
        error = refusal(client.compare, modules(CHAIN.format(n=1), name="new"), first, **FEW)
    assert error.code == "NOT_FOUND" and "no longer stored" in error.message and "pin" in error.hint


@pytest.mark.parametrize("spoil", [
    lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x"),
    lambda path: path.write_bytes(path.read_bytes()[:100]),
    lambda path: path.write_bytes(b""),
], ids=["another byte", "cut short", "empty"])
def test_a_damaged_module_is_not_run_and_kept_anew_by_the_next_job(client, state, short, long, spoil):
    job = client.run(short, **FEW).result
    path = state / "modules" / job.module.sha256
    spoil(path)
    error = refusal(client.compare, long, job.run_id, **FEW)
    assert error.code == "LOST" and "damaged" in error.message and not path.exists()
    assert "no longer stored" in refusal(client.compare, long, job.run_id, **FEW).message
    client.run(short, **FEW)
    assert sides(client.compare(long, job.run_id, **FEW)) == (200, 100)


def test_a_daemon_that_keeps_nothing_says_so(build, tmp_path, short):
    state = tmp_path / "state"
    state.write_text("no directory")
    with Daemon(build, tmp_path, state=state) as daemon, daemon.connect() as client:
        job = client.run(short, **FEW).result.run_id
        error = refusal(client.compare, short, job, **FEW)
    assert error.code == "UNSUPPORTED" and "keeps no modules" in error.message


def test_an_earlier_job_under_other_conditions_is_told_field_by_field(client, short):
    job = client.run(short, **FEW, cold=True).result
    run = client.compare(short, job.run_id, **FEW)
    told = [warning for warning in run.result.warnings if f"in job {job.run_id[:8]}" in warning]

    assert run.result.comparability_key != job.comparability_key
    assert any("the method was benchd cold" in warning and "is benchd here" in warning for warning in told)
    assert not any("another version" in warning for warning in told)


def test_benchctl_takes_a_job_for_a_module(benchctl, short, long):
    brief = ["--processes=4", "--samples=12", "--min-time=0.02", "--warmup=2"]
    job = benchctl.json("run", *brief, short)["run_id"]

    plan = benchctl("compare", *brief, f"@{job[:8]}", long).stdout.replace("\n# ", " ")  # which takes two lines where paths are long
    assert f"{long} against {short}: 4 processes" in plan
    both = benchctl.json("compare", *brief, f"@{job}#a/chain", f"{long}#a/chain")
    assert {row["side"]: row["counters"] for row in both["benchmarks"]} == {"new": {"n": 200}, "old": {"n": 100}}
    assert both["old_module"]["name"] == str(short)
    assert "is not a job" in benchctl("compare", "@short", long, expect=2).stderr
    assert "No job of yours" in benchctl("compare", "@0123abcd", long, expect=2).stderr


def test_a_private_daemon_has_no_jobs_to_compare_with(build, short):
    private = Benchctl(build, "--private")

    assert "no earlier jobs" in private("compare", "@0123abcd", short, expect=2).stderr
