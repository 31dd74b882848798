# SPDX-License-Identifier: GPL-3.0-or-later
"""What every Python test shares: where the build is, and daemons and clients that a test owns."""

import os
import pathlib
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BENCHD_BUILD", SOURCE / "build")).resolve()

sys.path.insert(0, str(BUILD / "proto"))
sys.path.insert(0, str(SOURCE / "tests"))

from support.daemon import Daemon  # noqa: E402


def pytest_configure(config):
    if not (BUILD / "proto" / "benchd_pb2.py").exists():
        raise pytest.UsageError(f"no build in {BUILD}: run scripts/run-tests, or name one in BENCHD_BUILD")


@pytest.fixture(scope="session")
def build():
    return BUILD


@pytest.fixture(scope="session")
def modules(tmp_path_factory):
    """Compiles modules of a test's own: modules(name, source_text_or_path, *flags) -> path."""
    from support.modules import Modules

    return Modules(SOURCE, tmp_path_factory.mktemp("modules"))


@pytest.fixture
def daemon(tmp_path):
    with Daemon(BUILD, tmp_path) as daemon:
        yield daemon


@pytest.fixture
def client(daemon):
    with daemon.connect() as client:
        yield client
