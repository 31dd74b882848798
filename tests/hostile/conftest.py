# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a hostile module or client does, the daemon is afterwards as it was before (support/steady.py)."""

import pytest

from support.paths import BUILD
from support.steady import SteadyDaemon


@pytest.fixture
def daemon(tmp_path):
    with SteadyDaemon(BUILD, tmp_path, launch=["--no-probes"]) as daemon:
        yield daemon
