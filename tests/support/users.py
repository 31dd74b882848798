# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a test is beside whoever runs it: users that own nothing on any machine."""

import os

import pytest

OTHER_UID, STRANGER_UID, ONE_MORE_UID = 4321, 4322, 4323
RUN_UID = 65529  # of root's runs, where no user benchd-run is there

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
