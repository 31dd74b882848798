# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the source is, and what was built of it."""

import os
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BENCHD_BUILD", SOURCE / "build")).resolve()
