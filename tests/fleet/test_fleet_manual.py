# SPDX-License-Identifier: GPL-3.0-or-later
"""benchd-fleet(7): its commands run, its configuration of Slurm is the one that is tested, and its messages are those that there are."""

import re
import subprocess

import pytest

from support import pages
from support.modules import EMPTY
from support.paths import SOURCE
from support.slurm import CONFIGURATION

PAGE = pages.page("benchd-fleet.7")
RUN_HERE = "tests/fleet runs it"
BLOCKS = [commands for _, commands, reason in pages.example_blocks(PAGE, True) if reason and reason.startswith(RUN_HERE)]
OF_SLURM = [commands for commands in BLOCKS if re.search("^(salloc|srun)", commands, re.M)]
OVER_SSH = [commands for commands in BLOCKS if commands not in OF_SLURM]


@pytest.fixture
def workplace(modules, tmp_path):
    for name in ["mybench", "old", "new"]:
        (tmp_path / f"{name}.so").symlink_to(modules(EMPTY, name=name))
    return tmp_path


def run(script, place, environment):
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=place,
                          env=environment, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_commands_over_ssh_run(sshd, machines, workplace):
    (workplace / "bin").mkdir()
    ssh = workplace / "bin/ssh"
    ssh.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {sshd.directory}/ssh_config-shared "$@"\n')
    ssh.chmod(0o755)
    assert len(OVER_SSH) == 2
    run("".join(OVER_SSH), workplace, {"PATH": f"{workplace}/bin:{sshd.far.path}"})


def test_its_commands_within_slurm_run(slurm, nodes, workplace):
    assert len(OF_SLURM) == 2
    run("".join(OF_SLURM), workplace, slurm.environment)


def settings(text):
    return set(re.findall(r"^(?!NodeName|PartitionName)(\w+=\S+)$", text, re.M))


def test_its_configuration_of_slurm_is_the_tested_one_but_for_the_timeouts():
    told = settings(pages.unescape(re.search(r"^\.EX\n(SelectType=.*?)^\.EE", PAGE, re.M | re.S)[1]))
    timeouts = {line for line in told if "Timeout=" in line}
    assert len(told) == 5 and len(timeouts) == 2
    assert told - timeouts <= settings(CONFIGURATION)
    assert {line.split("=")[0] for line in timeouts} <= {line.split("=")[0] for line in settings(CONFIGURATION)}


EXAMPLES = re.compile(r"lab1, lab2|lab[12]|/run/benchd/benchd.sock|'ssh'|[.]{3}|\b[0-9]+\b|this user may not open the daemon's socket|the daemon speaks another version of the protocol|the daemon closed the connection| and is left out|machines of class|have")


def test_its_failures_are_messages_of_benchctl_s():
    """Their parts between names, numbers and reasons stand in its sources."""
    sources = "".join(path.read_text() for path in sorted((SOURCE / "client").rglob("*.c")))
    sentences = re.sub(r'"\s*"', "", sources).replace('\\"', '"')
    told = [tag for tag in pages.tags(pages.section(PAGE, "FAILURES")) if not tag.startswith(("srun: ", "Requested"))]
    assert len(told) > 8
    for tag in told:
        parts = [part.strip(' ",') for part in EXAMPLES.split(tag)]
        parts = [part for part in parts if len(part) > 6]
        assert parts and [part for part in parts if part not in sentences] == [], tag
