# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module finds in its cell that is more than a file to be read: tests/hostile/modules/doors.c looks for it."""

import pathlib

MODULE = pathlib.Path(__file__).parent.parent / "hostile" / "modules" / "doors.c"

# As SECURITY.md lists it.
OF_A_CELL = {f"device /dev/{name}" for name in ("full", "null", "random", "urandom", "zero", "pts/ptmx")} | \
    {f"directory {path}" for path in ("/dev/mqueue", "/dev/shm", "/tmp")}
