# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of the stories, and which stories can be told yet."""

import os
import pathlib
import re
import subprocess

import pytest

import image as images
import installed
from vm import Dead, Machine

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def pytest_configure(config):
    config.addinivalue_line('markers', 'verb(name): the story needs this verb of benchctl')


def pytest_collection_modifyitems(config, items):
    """A story whose verb benchctl does not have yet is not collected: it is counted as deselected."""
    told = [item for item in items if all(has_verb(mark.args[0]) for mark in item.iter_markers('verb'))]
    config.hook.pytest_deselected(items=[item for item in items if item not in told])
    items[:] = told


def has_verb(name):
    build = pathlib.Path(os.environ.get('BENCHD_BUILD', SOURCE / 'build'))
    done = subprocess.run([build / 'client/ctl/benchctl', '--help'], capture_output=True, text=True)
    return re.search(rf'^  {name}  ', done.stdout, re.M) is not None


@pytest.fixture(scope='session')
def image(build, tmp_path_factory):
    obstacle = images.obstacle()
    if obstacle:
        pytest.skip(obstacle)
    made = images.make(build, tmp_path_factory.mktemp('image'))
    yield made
    made.disk.unlink()


@pytest.fixture(scope='session')
def vm(image, tmp_path_factory):
    """One machine for all stories that leave it as it was."""
    with Machine(image, tmp_path_factory.mktemp('vm')) as machine:
        yield machine


@pytest.fixture(scope='session')
def guest(vm, build):
    """The shared machine with the smallest example on it."""
    vm.put(build / 'examples/minimal.so', installed.MINIMAL)
    return vm


@pytest.fixture
def own_vm(image, tmp_path):
    """A machine that the story may ruin."""
    with Machine(image, tmp_path) as machine:
        yield machine


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A story that failed shows what the services told the journal."""
    report = (yield).get_result()
    machine = next((item.funcargs[name] for name in ('own_vm', 'vm') if name in item.funcargs), None)
    if report.when == 'call' and report.failed and machine:
        report.sections.append(('journal of the guest', journal(machine)))


def journal(machine):
    units = [f'--unit={unit}' for unit in installed.SERVICES + installed.SOCKETS]
    try:
        return machine.run('journalctl', '--boot', '--no-pager', '--lines=60', *units).stdout
    except (Dead, OSError) as error:
        return f'none: {error}'
