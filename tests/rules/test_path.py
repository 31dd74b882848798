# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever follows a request through benchd opens few files until the launcher hears of it: as many as there are, and no more."""

import re
import subprocess

from support.paths import SOURCE

MOST_FILES = 14


def test_a_request_passes_few_files_before_the_launcher_hears_of_it(build):
    told = subprocess.run([SOURCE / 'tests/bench/path', '--build', build / 'path'], check=True, capture_output=True, text=True).stdout
    files = re.search(r'^a request,.*: (\d+) files of daemon/front/\n +(.*)$', told, re.MULTILINE)
    names = files[2].split()
    assert int(files[1]) == len(names)
    assert (names[0], names[-1]) == ('clients/dispatch.c', 'jobs/launch-link.c'), 'it was followed from end to end'
    assert 'jobs/job.c' in names
    assert len(names) <= MOST_FILES, told
