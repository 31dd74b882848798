# SPDX-License-Identifier: GPL-3.0-or-later
"""No two sources need each other in a circle, and those of a folder with rooms need each other downward only; no function is there that nobody calls;
and a made-up circle is seen."""

import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import symbols
import tree


# Tests alone ask for these: bounds and work under way, and what a table makes of a name.
FOR_TESTS = {'event_type_of', 'own_calls_find', 'receivers_count_tasks', 'share_most_by_all'}


@pytest.fixture(scope='module')
def tables(build):
    found = symbols.objects(build)
    return dict(zip(found, symbols.symbols(found.values())))


@pytest.fixture(scope='module')
def graph(tables):
    return symbols.needs(tables)


def test_every_source_has_its_object(graph):
    assert set(graph) == {name for name in tree.files('.c') if name.startswith(symbols.FOLDERS)}
    assert 'daemon/front/jobs/launch-link.c' in graph['daemon/front/jobs/job.c'], 'nm tells what is needed'


def test_no_function_is_called_by_nobody(tables):
    """The linker and other programs call main(), those of libbenchd, and those of the library that counts allocations."""
    texts = {source: (tree.ROOT / source).read_text() for source in tables}
    found = [line.split(': ') for line in symbols.uncalled(tables, texts)]
    assert {name for source, name in found if name != 'main' and not name.startswith('benchd_') and '/count/' not in source} == FOR_TESTS
    assert symbols.uncalled({'a.c': ({'used', 'own', 'dead'}, set()), 'b.c': (set(), {'used'})},
                            {'a.c': 'used own own dead', 'b.c': ''}) == ['a.c: dead']


def test_no_sources_need_each_other(graph):
    assert symbols.circles(graph) == []


def test_no_source_needs_one_of_a_room_above(graph):
    assert symbols.upward(graph) == []


def test_a_made_up_circle_is_seen(tmp_path):
    """Three sources are compiled, each of which calls the next; a fourth only calls."""
    calls = {'a': 'b', 'b': 'c', 'c': 'a', 'd': 'a'}
    for name, called in calls.items():
        (tmp_path / f'{name}.c').write_text(f'void {called}(void); void {name}(void) {{ {called}(); }}\n')
    subprocess.run(['cc', '-c', *(f'{name}.c' for name in calls)], cwd=tmp_path, check=True)
    tables = dict(zip(calls, symbols.symbols([tmp_path / f'{name}.o' for name in calls])))
    assert symbols.circles(symbols.needs(tables)) == [['a', 'b', 'c']]
    tables['c'][1].clear()
    assert symbols.circles(symbols.needs(tables)) == []


def test_a_need_of_a_room_above_is_seen():
    clients, plan, main = 'client/ctl/verbs/x.c', 'client/ctl/model/fleet/x.c', 'client/ctl/main.c'
    assert symbols.upward({main: {clients}, clients: {plan}, plan: set()}) == []
    assert symbols.upward({main: set(), clients: set(), plan: {clients}}) == [f'{plan} needs {clients}']
    assert symbols.upward({main: set(), clients: {main}}) == [f'{clients} needs {main}']
