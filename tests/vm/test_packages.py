# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian packages in a guest that never had benchd: one command to the first table, an upgrade under a run, and nothing left at the end."""

import re
import shutil
import subprocess

import pytest

import image as images
from installed import PATIENCE_S, SERVICES, SOCKETS, await_that, benchctl, failed_units, runners, shown, states
from support.paths import SOURCE
from touched import governors
from vm import Machine

MADE_BY = SOURCE / 'scripts/build-packages'
TOOLS = ['dh', 'dpkg-buildpackage', 'lintian', 'git']
IDLE = '0 jobs, 0 running'
# Where dpkg, apt, systemd and the journal keep their own accounts, and the stories their files.
ACCOUNTS = ['/etc/*-', '/etc/ld.so.cache', '/srv', '/tmp', '/var/cache/apt', '/var/cache/ldconfig', '/var/lib/apt', '/var/lib/dpkg',
            '/var/lib/systemd/catalog', '/var/log', '/var/tmp']

HALL = '/srv/hall'  # which the run sees
DOOR = f'{HALL}/door'  # a named pipe
WAITING = '/srv/waiting.so'
WAITING_SOURCE = f'''
#include <fcntl.h>
#include <unistd.h>

BENCH(waiting, .about = "waits in its set-up, and takes no CPU, until the door is opened or gone") {{
        close(open("{DOOR}", O_RDONLY));
        bench_loop(b)
                bench_clobber();
}}
'''


# ---- the packages

def call(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(build):
    """The packages of the commit that is checked out: those that scripts/run-tests made, or made here."""
    directory = build / 'packages'
    commit = directory / 'commit'
    head = call('git', '-c', f'safe.directory={SOURCE}', 'rev-parse', 'HEAD', cwd=SOURCE)
    if not commit.exists() or commit.read_text() != head:
        call(MADE_BY, directory)
    return sorted(directory.glob('*.deb'))


def raised(package, directory):
    """The same package of a larger version."""
    root = directory / 'root'
    call('dpkg-deb', '--raw-extract', package, root)
    control = root / 'DEBIAN/control'
    version = re.search(r'^Version: (.*)$', control.read_text(), re.M)[1]
    control.write_text(control.read_text().replace(version, f'{version}+1'))
    path = directory / package.name.replace(version, f'{version}+1')
    call('dpkg-deb', '-Znone', '--build', root, path)
    shutil.rmtree(root)
    return path


@pytest.fixture
def packages(build, tmp_path):
    obstacle = images.obstacle()
    if obstacle:
        pytest.skip(obstacle)
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        pytest.skip(f'{", ".join(missing)} missing: scripts/packages-debian.txt names the Debian packages')
    first = built(build)
    daemon = next(path for path in first if path.name.startswith('benchd_'))
    return {'first': first, 'next': [raised(daemon, tmp_path)]}


@pytest.fixture
def machine(packages, build, tmp_path):
    image = images.make_without(build, tmp_path, packages)
    with Machine(image, tmp_path) as machine:
        yield machine
    image.disk.unlink()


# ---- what is looked at

def root_does(machine, *words):
    done = machine.run('sh', '-c', 'export DEBIAN_FRONTEND=noninteractive; ' + ' '.join(words))
    assert done.code == 0, done.stdout + done.stderr
    return done.stdout


def files(machine):
    skipped = ' -o '.join(f"-path '{path}'" for path in ACCOUNTS)
    return set(root_does(machine, f"find / -xdev \\( {skipped} \\) -prune -o -print").splitlines())


def pids(machine):
    return [shown(machine, unit, 'MainPID') for unit in SERVICES]


def jobs_done(machine):
    return [line.split()[0] for line in benchctl(machine, 'history').stdout.splitlines() if re.search(r' done\b', line)]


# ---- the story

def install(machine):
    root_does(machine, 'apt-get --yes install /srv/first/*.deb')
    assert states(machine, *SOCKETS) == ['active'] * 2
    assert root_does(machine, 'systemctl is-enabled', *SOCKETS).split() == ['enabled'] * 2
    assert states(machine, *SERVICES) == ['inactive'] * 2, 'the first client starts them'


def first_table(machine):
    root_does(machine, 'usermod --append --groups benchd member')
    done = benchctl(machine, 'run', '--quick', 'calls', '--', 'call_empty')
    assert done.code == 0, done.stderr
    assert re.search(r'^ +call_empty +[\d.]+ ', done.stdout, re.M), done.stdout


def upgrade_under_a_run(machine):
    root_does(machine, f'mkdir {HALL}; mkfifo --mode=0644 {DOOR}')
    run = machine.start('benchctl', 'run', '--quick', '--timeout=600', f'--see={HALL}', WAITING, user='member', timeout=2 * PATIENCE_S)
    await_that('a runner', lambda: runners(machine, '-u', 'member'))
    before = pids(machine)
    told = root_does(machine, 'dpkg --install /srv/next/*.deb')
    assert 'benchd has jobs, so it goes on as version' in told
    assert pids(machine) == before
    root_does(machine, f'exec 3>{DOOR}; rm {DOOR}')
    done = run.wait()
    assert done.code == 0, done.stderr
    assert re.search(r'^ +waiting +[\d.]+ ', done.stdout, re.M), done.stdout


def upgrade_at_rest(machine):
    """No more of it than dpkg's last step, which is quicker."""
    before = pids(machine)
    await_that('no job', lambda: shown(machine, 'benchd.service', 'StatusText') == IDLE)
    root_does(machine, 'DPKG_MAINTSCRIPT_NAME=postinst DPKG_MAINTSCRIPT_PACKAGE=benchd /var/lib/dpkg/info/benchd.postinst configure 0.1.0')
    assert not set(pids(machine)) & {*before, '0'}


def remove(machine, packages):
    assert benchctl(machine, 'set-governor', 'performance', user='root').code == 0
    assert governors(machine) == {'performance'}
    root_does(machine, 'dpkg --remove', *packages)
    assert machine.run('pgrep', 'benchd').stdout == ''
    assert root_does(machine, "systemctl list-units --plain --no-legend 'benchd*'") == ''
    assert failed_units(machine) == ''
    assert governors(machine) == {'schedutil'}
    root_does(machine, 'test -s /var/lib/benchd/history.db')


def test_packages_are_installed_upgraded_under_a_run_removed_and_purged_without_a_trace(machine, modules, packages):
    names = [path.name.split('_')[0] for path in packages['first']]
    before = files(machine)
    install(machine)
    first_table(machine)
    told = jobs_done(machine)
    assert len(told) == 1

    machine.put(modules(WAITING_SOURCE, name='waiting'), WAITING)
    upgrade_under_a_run(machine)
    assert len(jobs_done(machine)) == 2
    upgrade_at_rest(machine)
    assert jobs_done(machine)[1:] == told

    remove(machine, names)
    root_does(machine, 'dpkg --purge', *names)
    assert files(machine) == before
    root_does(machine, 'test ! -e /run/benchd')
    assert machine.run('getent', 'passwd', 'benchd', 'benchd-run').stdout.count(':/usr/sbin/nologin\n') == 2, 'their numbers stay theirs'
