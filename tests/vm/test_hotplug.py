# SPDX-License-Identifier: GPL-3.0-or-later
"""CPUs that are switched off and on while benchd runs."""

import pytest

from held import Held
from installed import LAUNCH, MINIMAL, await_that, benchctl, measure, shown, stop
from touched import await_as_before, governor, snapshot

LAST = 3
LAUNCHER = 'benchd-launch.service'
JOURNAL = '/run/benchd/restore.journal'
MIGRATION = '/proc/sys/kernel/timer_migration'


def switch(machine, cpu, on):
    path = f'/sys/devices/system/cpu/cpu{cpu}/online'
    done = machine.run('tee', path, stdin=b'1\n' if on else b'0\n')
    assert done.code == 0, done.stderr


@pytest.fixture
def whole(idle):
    """When a CPU comes, the kernel gives the thread that compacts memory all CPUs: it is to have them before the story too."""
    for on in [False, True]:
        switch(idle, LAST, on)
    yield idle
    for cpu in range(1, LAST + 1):
        switch(idle, cpu, True)
    stop(idle)


def said(machine):
    """By the launcher that runs now."""
    return machine.run('journalctl', '--output=cat', f'_SYSTEMD_INVOCATION_ID={shown(machine, LAUNCHER, "InvocationID")}').stdout


def run_on(machine, cpu):
    return benchctl(machine, 'run', '--quick', f'--cpus={cpu}', MINIMAL)


# ---- while it measures

def test_a_leased_cpu_that_is_switched_off_is_named_in_one_warning(whole):
    held = Held(whole)
    switch(whole, held.cpu, False)
    result = held.result()
    environment = result['environment']
    controls = {control['name']: control for control in environment['controls']}

    assert [warning for warning in result['warnings'] if f'CPU {held.cpu}' in warning] == [
        f'CPU {held.cpu} was switched off while a runner measured on it: the rest ran on other CPUs']
    assert not [warning for warning in result['warnings'] if 'another program' in warning or 'pinned' in warning]
    assert (controls['governor']['outcome'], controls['governor']['was'], controls['governor']['is']) == (
        'overridden', 'schedutil', 'could not be read: its CPU is off')
    assert controls['affinity']['outcome'] == 'overridden'
    text = said(whole)
    assert f'CPU {held.cpu} was switched off' in text
    assert 'error ' not in text and 'could not' not in text, text


def test_a_cpu_that_was_off_for_a_moment_only_is_named_too(whole):
    held = Held(whole)
    switch(whole, held.cpu, False)
    switch(whole, held.cpu, True)
    warnings = held.result()['warnings']
    assert len([warning for warning in warnings if f'CPU {held.cpu} was switched off' in warning]) == 1


# ---- what was set of it

def test_what_was_set_of_a_cpu_is_put_back_when_it_is_switched_on_again(whole):
    before = snapshot(whole)
    held = Held(whole)
    switch(whole, held.cpu, False)
    held.result()
    await_that('all else is given back', lambda: whole.read_file(MIGRATION).strip() == '1')
    switch(whole, held.cpu, True)
    await_as_before(whole, before)


def test_what_was_set_of_a_cpu_that_is_off_when_the_daemon_stops_waits_in_the_journal(whole):
    before = snapshot(whole)
    held = Held(whole)
    switch(whole, held.cpu, False)
    stop(whole)
    held.command.wait()
    assert f'policy{held.cpu}/scaling_governor' in whole.read_file(JOURNAL)

    restore = whole.run(LAUNCH, '--restore')
    assert restore.code == 1 and 'since its CPU is off' in restore.stderr
    switch(whole, held.cpu, True)
    assert governor(whole, held.cpu) == 'performance'
    assert whole.run(LAUNCH, '--restore').code == 0
    await_as_before(whole, before)


# ---- which CPUs are leased

def test_a_cpu_that_is_off_is_refused_in_words_and_leased_again_when_it_is_on(whole):
    assert run_on(whole, LAST).code == 0
    switch(whole, LAST, False)
    refused = run_on(whole, LAST)
    assert refused.code == 5 and f'CPU {LAST} is offline' in refused.stderr
    assert str(LAST) not in [str(cpu) for cpu in measure(whole)['environment']['cpus']]
    switch(whole, LAST, True)
    assert run_on(whole, LAST).code == 0


def test_a_cpu_that_is_switched_on_after_the_daemon_started_is_leased(whole):
    switch(whole, LAST, False)
    assert measure(whole)['environment']['cpus'] != [LAST]
    switch(whole, LAST, True)
    assert run_on(whole, LAST).code == 0
    assert measure(whole)['environment']['cpus'] == [LAST]


def test_what_set_governor_set_holds_for_a_cpu_that_comes_back(whole):
    before = snapshot(whole)
    assert benchctl(whole, 'set-governor', 'performance', user='root').code == 0
    switch(whole, LAST, False)
    assert benchctl(whole, 'set-governor', '--restore', user='root').code == 0
    assert benchctl(whole, 'set-governor', 'performance', user='root').code == 0
    switch(whole, LAST, True)
    await_that('it holds', lambda: governor(whole, LAST) == 'performance')
    assert benchctl(whole, 'set-governor', '--restore', user='root').code == 0
    await_as_before(whole, before)
