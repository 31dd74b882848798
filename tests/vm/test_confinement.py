# SPDX-License-Identifier: GPL-3.0-or-later
"""What each process of the installed daemon may do, asked of the processes themselves."""

import errno
import json
import pathlib

import pytest
from support import doors
from support.client import MEASURED_WORDS

from installed import MINIMAL, SERVICES, benchctl, measure, shown, status_fields

NOTHING = '0' * 16
# CAP_SETGID, CAP_SETUID, CAP_SETPCAP, CAP_SYS_NICE
FOUR = f'{1 << 6 | 1 << 7 | 1 << 8 | 1 << 23:016x}'

# Tells what it runs as, in the words of a failure.
MIRROR = '/srv/mirror.so'
MIRROR_SOURCE = r'''
#include <stdio.h>
#include <string.h>

BENCH(mirror, .about = "its own /proc/self/status") {
        static const char *const names[] = { "Uid", "Cap", "NoNewPrivs", "Seccomp" };
        static char text[500];
        char line[256], name[32], value[32];
        FILE *status = fopen("/proc/self/status", "r");
        size_t n = 0;

        while (status && n < 400 && fgets(line, sizeof line, status))
                for (int i = 0; i < 4; i++)
                        if (!strncmp(line, names[i], strlen(names[i])) &&
                                        sscanf(line, "%31[A-Za-z_]: %31s", name, value) == 2)
                                n += snprintf(text + n, sizeof text - n, "%s=%s ", name, value);
        bench_fail(b, "%s", text);
}
'''

# Uses its working directory.
WORKPLACE = '/srv/workplace.so'
WORKPLACE_SOURCE = pathlib.Path(__file__).parent.parent / 'integration' / 'modules' / 'workplace.c'

# Tries to leave its cell.
CELL = '/srv/cell.so'
CELL_SOURCE = pathlib.Path(__file__).parent.parent / 'hostile' / 'modules' / 'cell.c'

# Reads memory that it wrote, or did not.
ZERO_PAGES = '/srv/zero-pages.so'
ZERO_PAGES_SOURCE = WORKPLACE_SOURCE.parent / 'zero-pages.c'

# Stands in the way of every program of the machine, and does nothing.
PRELOADED = '/usr/local/lib/libstands.so'
PRELOADED_SOURCE = 'int benchd_test_stands(void) { return 1; }'

# Looks for what leads out of its cell.
DOORS = '/srv/doors.so'
# A socket or a FIFO of the guest's, most of which everybody may open.
OUTSIDE = ['/media/door', '/opt/door', '/srv/door', '/var/lib/door', '/var/tmp/door', '/run/dbus/system_bus_socket',
           '/run/benchd/benchd.sock', '/run/systemd/journal/socket', '/dev/log', '/dev/cpu_dma_latency', '/dev/kmsg', '/dev/ttyS0', '/dev/vda']


def said(machine, module, user='member'):
    """The words with which the benchmark in @module fails."""
    done = benchctl(machine, 'run', '--timeout=600', module, user=user)
    assert done.code == 3, done.stderr
    return done.stdout + done.stderr


def main_process(machine, unit):
    benchctl(machine, 'status')
    return status_fields(machine, shown(machine, unit, 'MainPID'))


@pytest.mark.parametrize('user, runs_as', [('member', 'member'), ('root', 'benchd-run')])
def test_a_benchmark_has_no_right_and_no_filter(guest, modules, user, runs_as):
    guest.put(modules(MIRROR_SOURCE, name='mirror'), MIRROR)
    words = [word.split('=') for word in said(guest, MIRROR, user).split() if word.count('=') == 1]
    wanted = {'Uid': guest.run('id', '-u', runs_as).stdout.strip(), 'NoNewPrivs': '1', 'Seccomp': '0',
              'Seccomp_filters': '0'} | {f'Cap{name}': NOTHING for name in ('Inh', 'Prm', 'Eff', 'Bnd', 'Amb')}
    assert {name: dict(words).get(name) for name in wanted} == wanted


def printed(machine, name, user, *options):
    """The lines that a benchmark of DOORS printed."""
    done = benchctl(machine, 'run', '--quick', '--timeout=600', '--format=json', *options, DOORS, '--', f'doors/{name}', user=user)
    assert done.code == 0, done.stdout + done.stderr
    return set((json.loads(done.stdout)['benchmarks'][0]['output'] or '').splitlines())


@pytest.mark.parametrize('user', ['member', 'root'])
def test_no_door_of_a_benchmark_leads_outside(guest, modules, user):
    guest.put(modules(doors.MODULE), DOORS)
    for path in OUTSIDE[:5]:
        guest.run('sh', '-c', f'rm -f {path}; mkfifo {path} && chmod 666 {path}')
    assert printed(guest, 'walk', user) == doors.OF_A_CELL
    assert printed(guest, 'named', user, '--env=DOORS=' + ':'.join(OUTSIDE)) == set()


def test_a_benchmark_sees_what_its_submitter_names(guest, modules):
    guest.put(modules(doors.MODULE), DOORS)
    guest.run('sh', '-c', 'rm -rf /srv/seen; mkdir -p /srv/seen; echo yes >/srv/seen/file; chmod 700 /srv/seen; chown -R member /srv/seen')
    assert printed(guest, 'sees', 'member', '--see=/srv/seen', '--env=DOORS=/srv/seen/file') == {'y /srv/seen/file'}
    done = benchctl(guest, 'run', '--quick', '--see=/srv/seen/file', MINIMAL, user='root')
    assert done.code != 0 and '/srv/seen/file: Permission denied' in done.stdout + done.stderr


def test_a_benchmark_works_in_a_directory_with_a_limit_and_leaves_nothing(guest, modules):
    guest.put(modules(WORKPLACE_SOURCE), WORKPLACE)
    for _ in range(2):
        done = benchctl(guest, 'run', '--quick', '--format=json', WORKPLACE, '--', 'workplace/tmpdir', 'workplace/file', 'workplace/many_files',
                        user='member')
        assert done.code == 0, done.stdout + done.stderr
        counters = [row['counters'] for row in json.loads(done.stdout)['benchmarks'] if row['name'] == 'many_files']
        assert counters[0]['enospc'] == 1
        assert counters[0]['written'] <= 256 << 20
    assert guest.run('find', '/run/benchd/work', '-type', 'f').stdout == ''


@pytest.mark.parametrize('user', ['member', 'root'])
def test_a_benchmark_is_in_a_cell(guest, modules, user):
    """The unit's own sandbox permits the namespaces, and a /proc in them."""
    guest.put(modules(CELL_SOURCE), CELL)
    done = benchctl(guest, 'run', '--quick', '--format=json', CELL, '--', 'cell/first', 'cell/shared_memory', 'cell/kills_all',
                    'cell/nests', 'cell/reaches', 'cell/looks', user=user)
    assert done.code == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    tried = {row['name']: row['counters'] for row in result['benchmarks']}
    assert [tried['first'][name] for name in ('seize', 'attach', 'pid')] == [errno.EPERM, errno.EPERM, 2]
    assert tried['shared_memory'] == {'shmget': 0}
    assert tried['kills_all'] == {'kill': errno.ESRCH}
    assert set(tried['nests'].values()) == {errno.EPERM}
    assert (tried['reaches']['dbus'], tried['reaches']['within']) == (errno.ENOENT, 0)
    # In /tmp there is the link to the module alone.
    assert [tried['looks'][name] for name in ('processes', 'in_tmp', 'in_shm', 'in_run', 'oom')] == [2, 1, 0, 0, errno.EROFS]
    assert [control['outcome'] for control in result['environment']['controls'] if control['name'] == 'namespaces'] == ['applied']
    assert str(0x62656e63) not in guest.run('cat', '/proc/sysvipc/shm').stdout


def test_the_launcher_finds_the_threads_of_a_cell_and_gives_them_windows(guest):
    """Their ids are others in there."""
    done = benchctl(guest, 'run', '--quick', '--threads=2', '--format=json', MINIMAL, user='member')
    assert done.code == 0, done.stdout + done.stderr
    controls = {control['name']: control['outcome'] for control in json.loads(done.stdout)['environment']['controls']}
    assert [controls[name] for name in ('namespaces', 'scheduler', 'affinity')] == ['applied'] * 3


@pytest.mark.parametrize('user', ['member', 'root'])
@pytest.mark.parametrize('name', ['traced', 'bomb'])
def test_what_does_not_want_to_end_is_dead_when_its_end_is_told(guest, modules, user, name):
    guest.put(modules(CELL_SOURCE), CELL)
    done = benchctl(guest, 'run', '--quick', '--timeout=5', CELL, '--', f'cell/{name}', user=user)
    assert done.code == 3, done.stdout + done.stderr
    names = guest.run('ps', '-eo', 'comm=').stdout.split()
    assert not {'tracer', 'bomber', 'benchd-runner', 'benchd-cell'} & set(names), names
    assert measure(guest)['verdict'] in MEASURED_WORDS


@pytest.mark.parametrize('user', ['member', 'root'])
def test_memory_that_a_confined_benchmark_never_wrote_is_named(guest, modules, user):
    """By this kernel's own words, in small pages and in huge ones."""
    guest.put(modules(ZERO_PAGES_SOURCE), ZERO_PAGES)
    done = benchctl(guest, 'run', '--quick', '--format=json', ZERO_PAGES, user=user)
    assert done.code == 0, done.stderr
    rows = json.loads(done.stdout)['benchmarks']
    assert None not in [row['unwritten_bytes'] for row in rows]
    named = {row['name'] for row in rows if 'unwritten-memory' in [finding['kind'] for finding in row['findings']]}
    assert named == {'small', 'huge'}, {row['name']: row['unwritten_bytes'] for row in rows}


def test_a_library_that_is_preloaded_into_all_programs_is_named(guest, modules):
    assert measure(guest)['instrumented'] == []
    guest.put(modules(PRELOADED_SOURCE, name='stands'), PRELOADED, mode='0755')
    try:
        guest.run('tee', '/etc/ld.so.preload', stdin=f'{PRELOADED}\n'.encode())
        result = measure(guest)
    finally:
        guest.run('rm', '/etc/ld.so.preload', PRELOADED)
    assert result['instrumented'] == ['preloaded-library']
    assert any('libstands.so was preloaded' in warning for warning in result['benchmarks'][0]['warnings'])


def test_no_control_is_denied_to_the_service(guest):
    """The unit leaves the launcher what it needs: real-time windows and a CPU of its own for each runner."""
    controls = {control['name']: control['outcome'] for control in measure(guest)['environment']['controls']}
    assert controls and set(controls.values()) <= {'applied', 'already'}, controls


def test_benchd_has_no_right(guest):
    status = main_process(guest, SERVICES[0])
    assert status['Uid'] == guest.run('id', '-u', 'benchd').stdout.strip()
    assert [status[name] for name in ('CapPrm', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp')] == [NOTHING] * 3 + ['1', '2']


def test_benchd_launch_has_four_rights_and_a_filter_of_its_own_alone(guest):
    status = main_process(guest, SERVICES[1])
    assert [status[name] for name in ('Uid', 'CapPrm', 'CapEff', 'CapBnd', 'NoNewPrivs')] == ['0'] + [FOUR] * 3 + ['1']
    assert (status['Seccomp'], status['Seccomp_filters']) == ('2', '1')


CONNECT = '''
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(600)
s.connect("/run/benchd/launch.sock")
print(len(s.recv(1 << 16)))
'''


@pytest.mark.parametrize('user, ends_with', [('member', 'PermissionError'), ('root', '0')])
def test_nobody_but_benchd_reaches_the_launcher(guest, user, ends_with):
    """A user may not open its socket; root, who may, is told nothing."""
    done = guest.run('python3', '-c', CONNECT, user=user)
    assert ends_with in (done.stdout + done.stderr).splitlines()[-1], done
