# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stories say about a machine on which benchd is installed."""

import json
import time

SERVICES = ['benchd.service', 'benchd-launch.service']
SOCKETS = ['benchd.socket', 'benchd-launch.socket']
MINIMAL = '/srv/minimal.so'
LAUNCH = 'benchd-launch'  # on PATH, as the manual has it
PATIENCE_S = 600


def states(machine, *units):
    return machine.run('systemctl', 'is-active', *units).stdout.split()


def failed_units(machine):
    return machine.run('systemctl', '--failed', '--plain', '--no-legend').stdout


def shown(machine, unit, name):
    """A property of @unit."""
    return machine.run('systemctl', 'show', f'--property={name}', '--value', unit).stdout.strip()


def stop(machine):
    """Stops both halves, so that only the sockets are there."""
    machine.run('systemctl', 'stop', *SERVICES)
    machine.run('systemctl', 'reset-failed')
    assert states(machine, *SERVICES, *SOCKETS) == ['inactive'] * 2 + ['active'] * 2


def status_fields(machine, pid):
    """/proc/@pid/status: {name: first word}."""
    lines = machine.read_file(f'/proc/{pid}/status').splitlines()
    return {name: (rest.split() or [''])[0] for name, _, rest in (line.partition(':') for line in lines)}


def benchctl(machine, *words, user='member', **options):
    return machine.run('benchctl', *words, user=user, **options)


def measure(machine, user='member'):
    """The result of a quick run of the smallest example, which must be right."""
    done = benchctl(machine, 'run', '--quick', '--format=json', MINIMAL, user=user)
    assert done.code == 0, done.stderr
    result = json.loads(done.stdout)
    assert [row['failed'] for row in result['benchmarks']] == [None]
    assert result['benchmarks'][0]['time_ns']['point'] > 0
    return result


def runners(machine, *whose):
    return machine.run('pgrep', '-x', *whose, 'benchd-runner').stdout.split()


def await_that(what, true, instead=lambda: ''):
    """Asks until @true() is; each time is a round trip to the machine. @instead() tells what is the case if it never is."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, f'not within {PATIENCE_S} s: {what} {instead()}'


def start_run(machine, module):
    """A run that is in the middle when this returns: a runner of the user's is there, not one that calibrates."""
    command = machine.start('benchctl', 'run', module, user='member', timeout=2 * PATIENCE_S)
    await_that('a runner', lambda: runners(machine, '-u', 'member'))
    return command
