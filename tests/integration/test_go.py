# SPDX-License-Identifier: GPL-3.0-or-later
"""The example in Go, where Go is installed: it is too large for the packages of the tests, and takes long to compile its own library."""

import os
import re
import shutil
import subprocess

import pytest

from support.client import FEW, MEASURED
from support.paths import SOURCE

TOUCHES = "examples/go/*"

EXAMPLE = SOURCE / "examples/go"
FEWER = FEW | dict(processes=2)

pytestmark = pytest.mark.skipif(not shutil.which("go"), reason="no go (Debian: golang-go)")


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    """Built by the command of the README, but into a directory of the test's own."""
    directory = tmp_path_factory.mktemp("go")
    command = re.search(r"^\$ (CGO_CFLAGS=.*)$", (EXAMPLE / "README.md").read_text(), re.M)[1].replace("-o go.so", f"-o {directory}/go.so")
    subprocess.run(["sh", "-c", command], cwd=EXAMPLE, check=True,
                   env=os.environ | {"PWD": str(EXAMPLE), "HOME": str(directory), "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"})
    return directory / "go.so"


def test_its_bodies_are_measured(client, module):
    run = client.run(module, **FEWER)
    assert set(run.benchmarks) == {"go/sum", "go/sort_ints", "go/allocate", "go/call"} and run.result.verdict in MEASURED
    assert run.benchmarks["go/allocate"].counters[0].value > 0


def test_its_source_is_formatted():
    assert subprocess.run(["gofmt", "-l", "."], cwd=EXAMPLE, check=True, capture_output=True, text=True).stdout == ""
