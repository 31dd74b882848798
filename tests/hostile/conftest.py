# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a hostile module or client does, the daemon is afterwards as it was before (support/steady.py)."""

import pytest

from support.fuse import SlowFile
from support.paths import BUILD, open_directory
from support.steady import SteadyDaemon


@pytest.fixture
def daemon(tmp_path):
    with SteadyDaemon(BUILD, tmp_path, launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def slow():
    """A file whose close never ends, until it is released."""
    with open_directory() as directory:
        try:
            file = SlowFile(directory).__enter__()
        except OSError as error:
            pytest.skip(f"no file system in user space can be mounted here: {error}")
        yield file
        file.__exit__()
