# SPDX-License-Identifier: GPL-3.0-or-later
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from support.modules import of_session  # noqa: E402
from toolbox import Toolbox  # noqa: E402


@pytest.fixture(scope='session')
def toolbox(tmp_path_factory):
    return Toolbox(of_session(tmp_path_factory, 'bench-h'), tmp_path_factory.mktemp('own'))
