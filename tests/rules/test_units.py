# SPDX-License-Identifier: GPL-3.0-or-later
"""The units are understood by systemd, find their programs, and expose no more than was measured when they were written."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from support.paths import BUILD

SYSTEM_UNITS = pathlib.Path('/lib/systemd/system')

# `systemd-analyze security` of systemd 252, times ten: what it was, and it may only fall. benchd's rest is AF_UNIX, the
# host's root directory and users, /proc/loadavg, the clock's device; benchd-launch's is that it is root, may become
# anybody, has no seccomp filter, a device to set the latency of idle CPUs, and a control group to divide (see its unit).
EXPOSURE = {'benchd.service': 4, 'benchd-launch.service': 57}

pytestmark = pytest.mark.skipif(not (shutil.which('systemd-analyze') and SYSTEM_UNITS.is_dir()),
                                reason='systemd is not installed: its units and systemd-analyze are needed')


def meson(*arguments, **environment):
    return subprocess.run(['meson', *map(str, arguments)], check=True, capture_output=True, text=True,
                          env=os.environ | environment).stdout


def programs(build):
    """Where benchd's programs get installed."""
    installed = json.loads(meson('introspect', build, '--installed'))
    return [pathlib.Path(path) for path in installed.values() if re.search(r'/(bin|libexec)/', path)]


@pytest.fixture(scope='session')
def root(build, tmp_path_factory):
    """A root directory with the system's units, ours as installed, and something in the place of each program."""
    root = tmp_path_factory.mktemp('root')
    units = root / SYSTEM_UNITS.relative_to('/')
    shutil.copytree(SYSTEM_UNITS, units, symlinks=True)
    for old in units.glob('benchd*'):
        old.unlink()
    meson('install', '-C', build, '--no-rebuild', '--tags', 'systemd', DESTDIR=str(root))
    for program in programs(build):
        path = root / program.relative_to('/')
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o755)
    return root


@pytest.fixture(scope='session')
def units(root):
    units = sorted((root / SYSTEM_UNITS.relative_to('/')).glob('benchd*'))
    if not units:
        pytest.skip('this build installs no units (-Dsystemd=disabled, or systemd.pc is missing)')
    return units


def verify(root, *units):
    done = subprocess.run(['systemd-analyze', 'verify', f'--root={root}', *units], capture_output=True, text=True)
    return done.stdout + done.stderr


def security(unit, threshold):
    return subprocess.run(['systemd-analyze', 'security', '--offline=yes', f'--threshold={threshold}', unit],
                          capture_output=True, text=True)


def directives(unit):
    return dict(re.findall(r'^(\w+)=(.*)$', unit.read_text(), re.M))


def test_systemd_has_nothing_to_say_about_any_unit(root, units):
    assert {unit.name for unit in units} == {'benchd.service', 'benchd.socket', 'benchd-launch.service',
                                             'benchd-launch.socket', 'benchd.slice'}
    assert verify(root, *units) == ''


@pytest.mark.parametrize('old, new', [('RestartSec=', 'RestartSecs='), ('ExecStart=', 'ExecStart=/nowhere')])
def test_what_is_wrong_with_a_unit_is_seen(root, units, old, new):
    unit = next(unit for unit in units if unit.name == 'benchd.service')
    broken = unit.with_name('broken.service')
    broken.write_text(unit.read_text().replace(old, new))
    assert verify(root, broken) != ''
    broken.unlink()


@pytest.mark.parametrize('name', EXPOSURE)
def test_a_service_exposes_no_more_than_it_did(units, name):
    unit = next(unit for unit in units if unit.name == name)
    done = security(unit, EXPOSURE[name])
    assert done.returncode == 0, done.stdout
    assert security(unit, EXPOSURE[name] - 1).returncode != 0, 'it is better than the table says: write that down'


# What installs a seccomp filter, in systemd.exec(5) and src/core/execute.c of systemd 252.
FILTERS = {'SystemCallFilter', 'SystemCallArchitectures', 'RestrictAddressFamilies', 'RestrictNamespaces',
           'RestrictRealtime', 'RestrictSUIDSGID', 'MemoryDenyWriteExecute', 'LockPersonality', 'ProtectHostname',
           'ProtectClock', 'ProtectKernelTunables', 'ProtectKernelModules', 'ProtectKernelLogs', 'PrivateDevices',
           'SystemCallLog'}


def test_nothing_that_runners_inherit_is_a_seccomp_filter(units):
    found = {unit.name: FILTERS & set(directives(unit)) for unit in units}
    assert found['benchd-launch.service'] == set()
    assert found['benchd.service'], 'the names are those of the directives'


BORN_WITH = {'CAP_PERFMON'}  # what a runner's birth needs beside, of which neither launcher nor runner keeps anything
WITHOUT_GROUPS = {'CAP_KILL'}  # kept where it is had: a service has control groups, by which to kill


def test_the_capabilities_are_those_that_the_launcher_keeps(units):
    unit = next(unit for unit in units if unit.name == 'benchd-launch.service')
    source = (pathlib.Path(__file__).parents[2] / 'daemon/launch/base/capabilities.c').read_text()
    kept = re.search(r'capabilities_kept\[\] = \{(.*?)\};', source, re.S)[1]
    assert set(directives(unit)['CapabilityBoundingSet'].split()) == set(re.findall(r'\bCAP_\w+', kept)) - WITHOUT_GROUPS | BORN_WITH


def test_both_halves_may_hold_the_files_of_the_most_jobs(units):
    """A configuration within its ranges starts; benchd refuses one that does not fit, in words."""
    daemon = pathlib.Path(__file__).parents[2] / 'daemon'
    text = ''.join((daemon / name).read_text()
                   for name in ['launch/trust/ticket.h', 'launch/main.c', 'ops/runner-plan.h', 'front/file-limit.h'])
    tickets, launcher, benchd, sides, libraries, inputs = (
        int(re.search(rf'#define {name} +(\d+)u', text)[1])
        for name in ['TICKETS_MAX', 'LAUNCH_DESCRIPTORS_OWN', 'FILE_LIMIT_OWN', 'RUNNER_SIDES_MAX', 'RUNNER_LIBRARIES_MAX',
                     'RUNNER_INPUTS_MAX'])
    config = (daemon / 'front/base/config.c').read_text()
    jobs, clients = (int(re.search(rf'"{section}", "{name}", \w+, "\d+", 1, (\d+),', config)[1])
                     for section, name in [('queue', 'jobs'), ('connections', 'clients')])
    files = {unit.name: int(directives(unit)['LimitNOFILE']) for unit in units if 'LimitNOFILE' in directives(unit)}
    assert tickets >= sides * jobs
    assert files['benchd-launch.service'] >= launcher + jobs * (sides * (1 + inputs) + libraries)
    assert files['benchd.service'] >= benchd + clients + 2 * jobs * (sides + libraries + inputs)


def test_benchd_may_hold_what_its_configuration_lets_users_hold(units):
    """One byte more, and the kernel would end it with everybody's jobs."""
    text = (BUILD / 'systemd/benchd.conf').read_text()
    sizes = re.findall(r'^#(\w+)=(\d+)M$', re.search(r'^\[memory\]\n(.*?)\n\n', text, re.M | re.S)[1], re.M)
    shared = sum(int(size) for name, size in sizes if not name.endswith('_per_user'))
    unit = next(unit for unit in units if unit.name == 'benchd.service')
    assert shared >= 256
    assert int(directives(unit)['MemoryMax'].removesuffix('G')) << 10 >= 2 * shared  # and what the jobs have besides


DAEMON = pathlib.Path(__file__).parents[2] / 'daemon'


def written_paths():
    """Of /sys and /proc/sys, as the tables of what is switched name them."""
    text = ''.join((DAEMON / name).read_text() for name in ['machine/tunable.c', 'machine/governor.c', 'launch/run/cache-drop.c'])
    kernel = re.search(r'#define KERNEL +"(.*)"', text)[1]
    named = set(re.findall(r'"((?:sys|proc/sys)/[^"%]+)"', text)) - {kernel}
    return {f'/{path}' for path in named | {kernel + name for name in re.findall(r'KERNEL "(/\w+)"', text)}}


def writable_paths(unit):
    words = ' '.join(re.findall(r'^ReadWritePaths=(.*)$', unit.read_text(), re.M)).split()
    return {word.lstrip('-') for word in words if not word.startswith(('/run/', '-/sys/fs/cgroup/'))}


def test_of_the_kernels_switches_those_are_writable_that_are_switched(units):
    writable = writable_paths(next(unit for unit in units if unit.name == 'benchd-launch.service'))
    written = written_paths()
    assert len(written) > 6
    assert [path for path in written if not any(f'{path}/'.startswith(f'{top}/') for top in writable)] == []
    assert [top for top in writable if not any(f'{path}/'.startswith(f'{top}/') for path in written)] == []
