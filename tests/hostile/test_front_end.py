# SPDX-License-Identifier: GPL-3.0-or-later
"""A front-end gone bad: the launcher lives on, runs nothing for it, and keeps nothing of what it sends."""

import os
import pathlib
import random
import re
import subprocess

import pytest

from support import faults
from support.daemon import Daemon
from support.paths import IS_SANITIZED, SOURCE, open_directory

SEED = int(os.environ.get("BENCHD_SEED", random.SystemRandom().getrandbits(32)))
FRONT_END = pathlib.Path(__file__).parent / "modules" / "front-end.c"
ARCHIVES = ["daemon/ops/libops.a", "common/util/libutil.a"]
FLAGS = ["-fsanitize=address,undefined"] if IS_SANITIZED else []


@pytest.fixture
def bad_build(build):
    """The daemon's programs, with another one for benchd."""
    with open_directory() as directory:
        made = faults.copy_programs(build, directory)
        subprocess.run(["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", *FLAGS, f"-I{SOURCE}/daemon", f"-I{SOURCE}/common", FRONT_END, "-o",
                        made / "daemon/front/benchd", *(build / archive for archive in ARCHIVES)], check=True)
        yield made


def test_records_of_its_own_making_get_it_nothing(bad_build):
    print(f"BENCHD_SEED={SEED}")
    with open_directory() as directory, Daemon(bad_build, directory, env=dict(os.environ, BENCHD_SEED=str(SEED))) as daemon:
        while not (sent := re.search(r"^sent (\d+)$", daemon.errors(), re.M)):
            assert daemon.process.poll() is None, daemon.errors()
        assert int(sent[1]) == 7000, daemon.errors()
        assert daemon.process.poll() is None
        assert daemon.find("benchd-inspect") == []
        assert daemon.count_fds(daemon.process.pid) < 64
        assert IS_SANITIZED or daemon.rss_bytes(daemon.process.pid) < 32 << 20
