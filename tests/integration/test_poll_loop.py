# SPDX-License-Identifier: GPL-3.0-or-later
"""libbenchd in somebody else's loop: the example, against the shared library and the real daemon."""

import re
import subprocess

from support.modules import TWO

TOUCHES = "client/lib/client.* event include/benchd/client.h examples/poll-loop/*"


def run(build, *arguments):
    done = subprocess.run([build / "examples/poll-loop", *map(str, arguments)], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def test_it_measures_while_its_own_timer_goes_on(build, daemon, modules):
    code, out, errors = run(build, daemon.socket, modules(TWO))
    assert code == 0, errors
    assert len([line for line in out if re.fullmatch(r"benchmark of [0-9]+ bytes of JSON", line)]) == 2
    ticks = int(re.fullmatch(r"([0-9]+) ticks meanwhile", out[-1])[1])
    assert ticks >= 2, "twenty processes are warmed up for longer than two ticks of 10 ms"
    assert {"loading", "measuring"} <= set(errors)


def test_it_is_linked_with_the_shared_library_alone(build):
    needed = subprocess.run(["readelf", "-d", build / "examples/poll-loop"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"NEEDED.*\[(.*?)\.so", needed)
    assert "libbenchd" in names
    assert not {"libprotobuf-c", "libjansson"} & set(names), "what the library needs is its own affair"


def test_it_says_what_went_wrong(build, daemon, modules, tmp_path):
    code, out, errors = run(build, tmp_path / "nobody", modules(TWO))
    assert code == 1 and len(errors) == 1 and "nobody" in errors[0]
    code, out, errors = run(build, daemon.socket, modules("int nothing;"))
    assert code == 1 and "module" in errors[-1]
