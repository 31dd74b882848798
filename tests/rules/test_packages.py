# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian packages say the same as the tree: each file that is installed is in one package, and what stands twice is the same."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

from tree import MIT, ROOT

DEBIAN = ROOT / 'packaging/debian'
TESTED_ONLY = {'-Dtests=$(tests)': '-Dtests=disabled'}
# Which every Debian build has: build-essential, and what meson depends on.
IMPLIED = {'g++', 'gcc', 'ninja-build'}


def read(name):
    return (DEBIAN / name).read_text()


# ---- where each file goes

def configure_options():
    """Those of debian/rules."""
    block = re.search(r'^configure_options = \\\n((?:.*\\\n)*.*)\n', read('rules'), re.M)[1]
    return [TESTED_ONLY.get(word, word) for word in block.replace('\\\n', ' ').split()]


@pytest.fixture(scope='module')
def installed(tmp_path_factory):
    """The files that `meson install` of a package's build installs, without their leading slash."""
    build = tmp_path_factory.mktemp('packaged')
    done = subprocess.run(['meson', 'setup', build, '--prefix=/usr', '--libdir=lib/x86_64-linux-gnu', '--buildtype=plain',
                           *configure_options()], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told = subprocess.run(['meson', 'introspect', build, '--installed'], check=True, capture_output=True, text=True).stdout
    yield sorted(path.lstrip('/') for path in json.loads(told).values())
    shutil.rmtree(build)


def patterns():
    """{package: its globs of installed files}"""
    return {path.stem: path.read_text().split() for path in sorted(DEBIAN.glob('*.install'))}


def matches(pattern, path):
    """As dh_install has it: a star does not cross a slash, and a directory stands for all below it."""
    whole, parts = pathlib.PurePosixPath(path).parts, pathlib.PurePosixPath(pattern).parts
    return len(whole) >= len(parts) and pathlib.PurePosixPath(*whole[:len(parts)]).match('/'.join(parts))


def packages_of(path, all_patterns):
    return [package for package, globs in all_patterns.items() if any(matches(glob, path) for glob in globs)]


def test_each_file_that_is_installed_is_in_one_package(installed):
    placed = {path: packages_of(path, patterns()) for path in installed}
    assert len(placed) > 25
    wrong = {path: packages for path, packages in placed.items() if len(packages) != 1}
    assert wrong == {}, 'name each in one file packaging/debian/PACKAGE.install'


def test_a_file_in_no_package_or_in_two_is_seen():
    globs = {'one': ['usr/bin/a', 'usr/share/man/man1/*'], 'two': ['usr/share/man', 'usr/lib/*/x.so']}
    assert packages_of('usr/bin/a', globs) == ['one']
    assert packages_of('usr/bin/ab', globs) == []
    assert packages_of('usr/lib/x86_64-linux-gnu/x.so', globs) == ['two']
    assert packages_of('usr/lib/x.so', globs) == []
    assert packages_of('usr/share/man/man1/a.1', globs) == ['one', 'two']


def test_each_package_that_has_files_is_described():
    described = re.findall(r'^Package: (\S+)$', read('control'), re.M)
    assert sorted(described) == sorted(patterns())


# ---- what stands in the tree too

def test_the_library_s_symbols_are_those_that_it_exports():
    header = re.sub(r'/\*.*?\*/', '', (ROOT / 'include/benchd/client.h').read_text(), flags=re.S)
    exported = re.findall(r'\b(benchd_\w+)\(', header)
    told = re.findall(r'^ (benchd_\w+)@LIBBENCHD_0 \S+$', read('libbenchd0.symbols'), re.M)
    assert len(exported) > 50
    assert told == sorted(exported)


def names(path):
    return {line for line in path.read_text().splitlines() if line and not line.startswith('#')}


def test_a_package_is_built_with_what_any_build_needs():
    depends = re.search(r'^Build-Depends: (.*(?:\n .*)*)', read('control'), re.M)[1]
    told = {re.match(r'\s*(\S+)', one)[1] for one in depends.split(',') if '<!nocheck>' not in one}
    assert names(ROOT / 'scripts/packages-build.txt') - IMPLIED - told == set()


def test_an_upgrade_knows_the_daemon_without_jobs_by_its_own_words():
    words = re.search(r'READY=1\\nSTATUS=(.*?)"', (ROOT / 'daemon/front/daemon.c').read_text())[1]
    assert f'= "{words}" ]' in read('benchd.postinst')


def test_the_folders_under_the_mit_licence_are_those_of_the_tree():
    block = next(block for block in read('copyright').split('\n\n') if block.endswith('License: Expat') and 'Files:' in block)
    told = re.search(r'^Files: (.*(?:\n .*)*)', block, re.M)[1].split()
    assert sorted(told) == sorted(folder + '*' for folder in MIT)
