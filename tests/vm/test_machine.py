# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run does to the machine, under the kernel's own cpufreq and systemd's slices, and that nothing of it is left."""

import pytest

from held import Held, Trace
from installed import SOCKETS, benchctl, measure, shown, stop
from touched import POLICY, await_as_before, differences, governor, governors, snapshot

OTHERS = ['system.slice', 'user.slice']
RUN = '/run/benchd'
UNSUPPORTED = {'memory'}  # one node has no other


@pytest.fixture
def crowd(guest):
    """More tasks of another user than the machine has CPUs."""
    spinners = [guest.start('sh', '-c', 'while :; do :; done', user='outsider') for _ in range(5)]
    for spinner in spinners:
        spinner.started()
    yield
    guest.run('pkill', '-u', 'outsider')
    assert {spinner.wait().code for spinner in spinners} == {-15}


def control(result, name):
    found, = (control for control in result['environment']['controls'] if control['name'] == name)
    return found


# ---- during a run

def test_the_governor_reads_performance_during_a_run(idle):
    held = Held(idle)
    assert governor(idle, held.cpu) == 'performance'
    environment = held.result()['environment']
    assert environment['governor'] == 'performance'


def test_a_run_says_what_the_governor_was_and_is(idle):
    words = control(measure(idle), 'governor')
    assert (words['outcome'], words['was'], words['is']) == ('applied', 'schedutil', 'performance')


def test_the_hardened_unit_may_do_all_that_it_is_to_do(idle):
    controls = measure(idle)['environment']['controls']
    names = {control['name'] for control in controls}
    assert {'governor', 'irq-affinity', 'workqueues', 'watchdog', 'timer-migration', 'shield', 'kernel-threads', 'cpuset'} <= names
    assert {control['name'] for control in controls if control['outcome'] not in ('applied', 'already')} <= UNSUPPORTED


def test_no_other_user_task_runs_on_the_leased_cpu(idle, crowd):
    held = Held(idle)
    with Trace(idle, held.cpu) as trace:
        held.result()
    assert trace.strangers() == set()


def test_the_limits_are_set_and_put_back_beside_more_tasks_than_cpus(idle, crowd):
    """The kernel takes a limit over when it comes to it, which is later then than the daemon reads it back."""
    before = snapshot(idle)
    words = control(measure(idle), 'frequency-minimum')
    assert (words['outcome'], words['was'], words['is']) == ('applied', '1000000', '3000000')
    await_as_before(idle, before)


def test_without_cpus_isolated_at_boot_the_shield_is_used_and_named_and_undone(idle):
    before = snapshot(idle)
    held = Held(idle)
    allowed = {shown(idle, unit, 'AllowedCPUs') for unit in OTHERS}
    assert str(held.cpu) not in ' '.join(allowed) and '' not in allowed
    assert held.result()['environment']['isolation'] == 'shield'
    await_as_before(idle, before)


# ---- after it

def test_after_a_run_all_that_it_touched_is_as_before(idle):
    before = snapshot(idle)
    held = Held(idle)
    during = differences(before, snapshot(idle))
    assert POLICY.format(held.cpu) in during
    held.result()
    await_as_before(idle, before)


def test_stopping_the_daemon_in_the_middle_leaves_the_machine_as_before(idle):
    before = snapshot(idle)
    held = Held(idle)
    assert differences(before, snapshot(idle))
    stop(idle)
    assert held.command.wait().code == 4
    assert differences(before, snapshot(idle)) == {}


# ---- when others change it meanwhile

def test_another_program_that_changes_the_governor_is_named_and_left_alone(idle):
    held = Held(idle)
    path = POLICY.format(held.cpu)
    idle.run('tee', path, stdin=b'schedutil\n')
    result = held.result()
    assert control(result, 'governor')['outcome'] == 'overridden'
    assert [warning for warning in result['warnings'] if 'governor' in warning]
    stop(idle)
    assert governors(idle) == {'schedutil'}


# ---- a machine that cannot be changed

@pytest.fixture
def read_only(idle):
    drop_in = '/run/systemd/system/benchd-launch.service.d/read-only.conf'
    idle.run('install', '-D', '/dev/stdin', drop_in, stdin=b'[Service]\nReadWritePaths=\nReadWritePaths=/run/benchd\n')
    idle.run('systemctl', 'daemon-reload')
    yield idle
    idle.run('rm', drop_in)
    idle.run('systemctl', 'daemon-reload')
    stop(idle)


def with_sockets_stopped(machine, *words):
    """Their files keep the file system in use."""
    for command in [('systemctl', 'stop', *SOCKETS), words, ('systemctl', 'start', *SOCKETS)]:
        done = machine.run(*command)
        assert done.code == 0, done.stderr


@pytest.fixture
def little_room(idle):
    """The restore journal is on a file system of its own, which fill() fills."""
    with_sockets_stopped(idle, 'mount', '-t', 'tmpfs', '-o', 'size=64k,mode=0755', 'small', RUN)
    yield idle
    stop(idle)
    with_sockets_stopped(idle, 'umount', RUN)


def fill(machine):
    assert 'No space left' in machine.run('dd', 'if=/dev/zero', f'of={RUN}/filler', 'bs=1k').stderr


def test_without_room_for_a_journal_a_run_measures_and_says_that_nothing_is_changed(little_room):
    fill(little_room)
    before = snapshot(little_room)
    held = Held(little_room)
    assert governor(little_room, held.cpu) == 'schedutil'
    result = held.result()
    assert [control(result, 'governor')[key] for key in ('outcome', 'was', 'is')] == ['denied', 'schedutil', 'schedutil']
    assert control(result, 'tuning')['is'] == 'no restore journal: nothing is changed'
    assert [warning for warning in result['warnings'] if 'could not be changed' in warning and 'governor' in warning]
    await_as_before(little_room, before)


def test_a_journal_that_becomes_full_in_the_middle_leaves_nothing_changed(little_room):
    benchctl(little_room, 'status')
    before = snapshot(little_room)
    fill(little_room)
    result = Held(little_room).result()
    denied = [row['name'] for row in result['environment']['controls'] if row['outcome'] == 'denied']
    assert 'tuning' in denied or 'cpuset' in denied, 'how much still fits depends on how many threads the kernel has'
    await_as_before(little_room, before)


def test_with_a_read_only_sys_a_run_measures_and_says_what_was_denied(read_only):
    before = snapshot(read_only)
    held = Held(read_only)
    assert governor(read_only, held.cpu) == 'schedutil'
    result = held.result()
    assert control(result, 'governor')['outcome'] == 'denied'
    assert result['environment']['governor'] == 'schedutil'
    await_as_before(read_only, before)
