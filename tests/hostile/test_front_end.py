# SPDX-License-Identifier: GPL-3.0-or-later
"""A front-end gone bad: the launcher lives on, runs nothing for it, and keeps nothing of what it sends."""

import contextlib
import os
import pathlib
import random
import re
import subprocess

from support import faults
from support.daemon import Daemon
from support.paths import IS_SANITIZED, PRIVATE_HEADERS, open_directory

TOUCHES = "ticket voucher identity daemon/launch/trust/front* ops"

SEED = int(os.environ.get("BENCHD_SEED", random.SystemRandom().getrandbits(32)))
MODULES = pathlib.Path(__file__).parent / "modules"
ARCHIVES = ["daemon/ops/libops.a", "common/util/libutil.a"]
FLAGS = ["-fsanitize=address,undefined"] if IS_SANITIZED else []


@contextlib.contextmanager
def bad_daemon(build, source, **environment):
    """The daemon, with the program of @source in the place of benchd."""
    with open_directory() as programs, open_directory() as directory:
        made = faults.copy_programs(build, programs)
        subprocess.run(["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", *FLAGS, *PRIVATE_HEADERS, MODULES / source, "-o",
                        made / "daemon/front/benchd", *(build / archive for archive in ARCHIVES)], check=True)
        with Daemon(made, directory, env=dict(os.environ, **environment)) as daemon:
            yield daemon


def await_words(daemon, pattern):
    while not (found := re.search(pattern, daemon.errors(), re.M)):
        assert daemon.process.poll() is None, daemon.errors()
    return found


def test_records_of_its_own_making_get_it_nothing(build):
    print(f"BENCHD_SEED={SEED}")
    with bad_daemon(build, "front-end.c", BENCHD_SEED=str(SEED)) as daemon:
        sent = await_words(daemon, r"^sent (\d+)$")
        assert int(sent[1]) == 7000, daemon.errors()
        assert daemon.process.poll() is None
        assert daemon.find("benchd-inspect") == []
        assert daemon.count_fds(daemon.process.pid) < 64
        assert IS_SANITIZED or daemon.rss_bytes(daemon.process.pid) < 32 << 20


def state_of(pid):
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2]


def test_a_file_that_never_closes_stops_a_receiver_and_not_the_launcher(build, slow):
    with bad_daemon(build, "slow-front-end.c", BENCHD_SLOW_FILE=str(slow.path)) as daemon:
        await_words(daemon, "^sent all$")
        answers = re.findall(r"^asked (\d+): answered (\d+), (\d+)$", daemon.errors(), re.M)
        refine = ("105", "205", "0")
        assert answers == [("107", "204", "2"), refine, ("100", "204", "1"), refine, ("108", "204", "1"), refine]
        left = {int(pid) for pid in re.findall(r"process (\d+) \(benchd-receive\) waits to close a file", daemon.errors())}
        assert len(left) >= 2, "the third may not have waited for long yet"
        assert left <= set(daemon.find("benchd-receive"))
        assert {state_of(pid) for pid in left} == {"D"}
        assert state_of(daemon.process.pid) != "D"
        slow.release()
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in left):
            assert daemon.process.poll() is None, daemon.errors()
