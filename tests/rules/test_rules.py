# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree keeps its rules; and each rule, shown a line that breaks it, says so."""

import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tree

check = runpy.run_path(str(pathlib.Path(__file__).resolve().parents[2] / 'scripts/check'))  # as a module

CODE = ('.c', '.h', '.cc')
LICENSED = CODE + ('.py', '.proto', '.build', '.rs', '.go')
TEXT = LICENSED + ('.md', '.txt', '.json', '.service', '.socket', '.conf')


# A tree for the lines that are fed to the rules.
KNOWN = {'common/util/fd.h', 'common/clock/tick.h', 'common/stats/pool.h', 'proto/frame.h', 'daemon/ops/ops.h',
         'daemon/front/plan/plan.h', 'daemon/front/jobs/queue.h', 'daemon/machine/topology.h', 'daemon/launch/lease/lease.h',
         'client/lib/event.h'}


def known(path):
    return os.path.normpath(path) in KNOWN


def read(name):
    return (tree.ROOT / name).read_text()


def test_there_is_a_tree_to_look_at():
    names = tree.files(*CODE)
    assert 'common/util/fd.c' in names and 'include/benchd/bench.h' in names
    assert not [name for name in names if name.startswith('build')]


def test_each_folder_includes_only_what_it_may():
    assert [wrong for name in tree.files(*CODE) for wrong in tree.check_includes(name, read(name))] == []


@pytest.mark.parametrize('name, line', [
    ('common/util/x.c', '#include "ops/ops.h"'),
    ('common/stats/x.c', '#include "clock/tick.h"'),
    ('daemon/ops/x.c', '#include "proto/frame.h"'),
    ('daemon/front/x.c', '#include "machine/topology.h"'),
    ('daemon/front/x.c', '#include <benchd/bench.h>'),
    ('daemon/front/plan/x.c', '#include "front/jobs/queue.h"'),
    ('daemon/launch/x.c', '#include "benchd.pb-c.h"'),
    ('daemon/launch/x.c', '# include "proto/frame.h"'),
    ('daemon/launch/x.c', '#include "../front/jobs/queue.h"'),
    ('daemon/runner/x.c', '#include "launch/lease/lease.h"'),
    ('client/ctl/x.c', '#include "lib/json.h"'),
    ('client/ctl/x.c', '#include "benchd.pb-c.h"'),
    ('client/lib/x.c', '#include "stats/pool.h"'),
    ('examples/x.c', '#include <benchd/client.h>'),
    ('include/benchd/x.h', '#include "util/fd.h"'),
    ('somewhere/x.c', ''),
])
def test_an_include_across_the_table_is_seen(name, line):
    assert tree.check_includes(name, line + '\n', known)


@pytest.mark.parametrize('name, line', [
    ('daemon/launch/x.c', '#include "machine/topology.h"'),
    ('daemon/front/x.c', '#include "front/jobs/queue.h"'),
    ('daemon/front/jobs/x.c', '#include "front/plan/plan.h"'),
    ('daemon/launch/x.c', '#include "launch/lease/lease.h"'),
    ('daemon/runner/x.c', '#include <benchd/bench.h>'),
    ('client/lib/x.c', '#include "benchd.pb-c.h"'),
    ('common/util/x.c', '#include <stdio.h>'),
    ('tests/unit/x.c', '#include "front/plan/plan.h"'),
])
def test_an_include_within_the_table_is_let_through(name, line):
    assert tree.check_includes(name, line + '\n', known) == []


def test_an_include_of_nothing_is_seen():
    assert tree.check_includes('daemon/front/x.c', '#include "front/nothing.h"\n', known)


def test_each_file_begins_with_its_licence():
    names = tree.files(*LICENSED) + ['meson_options.txt'] + [n for n in tree.files('') if n.startswith('scripts/')]
    assert [wrong for name in names for wrong in tree.check_licence(name, read(name))] == []


@pytest.mark.parametrize('name, text', [
    ('daemon/front/x.c', '#include <stdio.h>\n'),
    ('daemon/front/x.c', '/* SPDX-License-Identifier: MIT */\n'),
    ('common/util/x.c', '/* SPDX-License-Identifier: GPL-3.0-or-later */\n'),
    ('common/util/x.c', '\n/* SPDX-License-Identifier: MIT */\n'),
    ('x.py', ''),
])
def test_a_missing_or_wrong_licence_is_seen(name, text):
    assert tree.check_licence(name, text)


def test_no_file_names_the_machine_it_was_written_on():
    assert [wrong for name in tree.files(*TEXT) for wrong in tree.check_paths(name, read(name))] == []


def test_a_path_of_this_machine_is_seen():
    assert tree.check_paths('x.md', f'see {tree.ROOT}/README.md')
    assert tree.check_paths('x.md', 'see ' + '/'.join(['', 'home', 'someone', 'notes']))


def test_the_lines_of_markdown_have_one_width():
    names = tree.files('.md')
    assert len(names) > 10 and [wrong for name in names for wrong in tree.check_width(name, read(name))] == []


def test_a_line_of_markdown_that_is_too_wide_is_seen():
    long = 'word ' * 30
    assert tree.check_width('x.md', f'short\n\n- {long}\n') == ['x.md:3: has 152 columns, and a line of Markdown has 120']
    assert tree.check_width('x.md', f'```\n{long}\n```\n{long}\n')[0].startswith('x.md:4:')
    assert not tree.check_width('x.md', f'```\n{long}\n```\n| {long} |\n[x]: {long}\n- {"y" * 150}\n{"word " * 23}')


@pytest.mark.parametrize('name', ['HACKING.md', 'docs/open-ends.md', 'tests/README.md', 'packaging/README.md'])
def test_a_text_about_the_tree_names_files_that_there_are(name):
    assert tree.check_named_files(name, read(name), tree.files()) == []


def test_a_file_that_is_named_and_not_there_is_seen():
    known = ['client/ctl/app/verbs.c', 'common/words/mark.c']
    assert tree.check_named_files('x.md', '`ctl/app/verb.c` `verbs.c` `words/mark.[ch]` `ark.c` `verb-NAME.c` verb.c', known) == [
        'x.md: names ark.c, which is no file of the tree', 'x.md: names ctl/app/verb.c, which is no file of the tree']


def test_no_comment_or_message_of_the_programs_begins_with_a_question_word():
    names = [name for name in tree.files('.c', '.h') if name.startswith(('client/', 'common/', 'daemon/', 'include/', 'proto/'))]
    assert [wrong for name in names for wrong in tree.check_openings(name, read(name))] == []


@pytest.mark.parametrize('text', ['/* Whether it is over. */', '/*\n * What a job tells.\n */', '        /* Of each side. */', '"Whether it runs"'])
def test_a_comment_or_message_that_begins_with_one_is_seen(text):
    assert tree.check_openings('x.c', text)
    assert not tree.check_openings('x.c', '/* True where it is over; whatever it was. */ "is where"')


def clang_format(*arguments, **kwargs):
    return subprocess.run(['clang-format', '--dry-run', '-Werror', *arguments], cwd=tree.ROOT, capture_output=True,
                          text=True, **kwargs)


@pytest.mark.skipif(not shutil.which('clang-format'), reason='clang-format is not installed')
def test_clang_format_has_nothing_to_say():
    done = clang_format(*tree.files(*CODE))
    assert sorted(set(re.findall(r'^(\S+?):\d+:\d+: error: code should be', done.stderr, re.M))) == []
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which('clang-format'), reason='clang-format is not installed')
def test_a_line_out_of_shape_is_seen():
    assert clang_format('--assume-filename=x.c', input='int  f( void ){return 1 ;}\n').returncode != 0


def test_each_unit_test_mirrors_a_module_and_is_run():
    modules = [name for name in tree.files('.c', '.h')
               if not name.startswith('tests/') or name.startswith('tests/bench/simulation/')]
    rows = read('tests/unit/meson.build')
    tests = [name for name in tree.files('.c') if name.startswith('tests/unit/test-')]
    assert tests
    assert [wrong for name in tests for wrong in tree.check_mirror(name, modules, rows)] == []


def test_a_unit_test_of_nothing_or_without_a_row_is_seen():
    assert tree.check_mirror('tests/unit/test-y.c', ['common/util/x.c'], "'y'")
    assert tree.check_mirror('tests/unit/test-x.c', ['common/util/x.c'], "'y'")
    assert not tree.check_mirror('tests/unit/test-x.c', ['common/util/x.c'], "'x'")
    assert not tree.check_mirror('tests/unit/test-front-x.c', ['daemon/front/x.c'], "'front-x'")
    assert not tree.check_mirror('tests/unit/test-stats.c', ['common/stats/x.c'], "'stats'")


def test_no_test_sleeps():
    names = [name for name in tree.files('.c', '.py') if name.startswith('tests/') and '/modules/' not in name]
    assert [wrong for name in names for wrong in tree.check_sleep(name, read(name))] == []


def test_a_test_that_sleeps_is_seen():
    assert tree.check_sleep('tests/x.py', 'time.sl' 'eep(1)')
    assert tree.check_sleep('tests/x.c', 'usl' 'eep(1);')


def test_each_python_test_of_whole_programs_names_what_it_touches():
    names = tree.files()
    for test in [name for name in names if re.match(r'tests/(integration|hostile)/test_', name)]:
        patterns = check['touches'](read(test))
        assert patterns, f'{test} has no TOUCHES, by which scripts/check finds it'
        assert [f'{test}: {pattern} is no file' for pattern in patterns
                if not any(check['touched'](name, [pattern]) for name in names)] == []
