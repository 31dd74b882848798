# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of a fleet, all of them on this one."""

import contextlib
import subprocess

import pytest

from support.benchctl import Benchctl
from support.far import Far
from support.paths import open_directory
from support.slurm import MISSING, Slurm
from support.sshd import SSHD, Sshd

MACHINES = ["lab1", "lab2", "lab3"]
NODES = {"n1": "type_a", "n2": "type_a", "n3": "type_b"}


@pytest.fixture(scope="session")
def far():
    if subprocess.run(["unshare", "--mount", "--uts", "true"], capture_output=True).returncode != 0:
        pytest.skip("takes root and namespaces, for machines with names and accounts of their own")
    with open_directory() as directory:
        yield Far(directory)


@pytest.fixture(scope="session")
def sshd(far):
    if not SSHD:
        pytest.skip("openssh-server is not installed")
    with open_directory() as directory, Sshd(directory, far, MACHINES) as sshd:
        yield sshd


@pytest.fixture
def machine(sshd):
    """The daemon of the host lab1."""
    with sshd.far.machine("lab1") as machine:
        yield machine


@pytest.fixture
def machines(sshd, machine):
    """The daemons of the hosts lab1, lab2 and lab3."""
    with sshd.far.machine("lab2") as second, sshd.far.machine("lab3") as third:
        yield [machine, second, third]


@pytest.fixture
def direct(build, machine):
    return Benchctl(build, f"--socket={machine.socket}")


@pytest.fixture
def over(build, sshd):
    """A benchctl of other hosts: over("games@lab1"). Over a connection that stays open, unless it is told otherwise."""
    def over(hosts, *options, shared=True, ssh=()):
        return Benchctl(build, f"--host={hosts}", f"--rsh={' '.join(sshd.rsh(shared, ssh))}", *options)

    return over


@pytest.fixture(scope="session")
def slurm(far):
    if MISSING:
        pytest.skip(f"{', '.join(MISSING)} of Slurm and munge are not installed")
    with open_directory() as directory, Slurm(directory, far, NODES) as slurm:
        yield slurm


@pytest.fixture(scope="session")
def nodes(slurm):
    """The daemons of the nodes, by name."""
    with contextlib.ExitStack() as stack:
        yield {name: stack.enter_context(slurm.far.machine(name)) for name in slurm.nodes}
