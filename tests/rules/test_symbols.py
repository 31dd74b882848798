# SPDX-License-Identifier: GPL-3.0-or-later
"""No two sources need each other in a circle, and those of a folder with rooms need each other downward only; no function is there that nobody calls;
names begin with their module's word; and a made-up circle is seen."""

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


def test_no_modules_of_the_package_need_each_other(tmp_path):
    graph = symbols.python_needs(tree.ROOT / 'python/benchd')
    assert {'client', 'module', 'run'} <= graph['__init__'] and graph['errors'] == {'printable'}
    assert symbols.circles(graph) == []
    for name, other in ('a', 'b'), ('b', 'a'):
        (tmp_path / f'{name}.py').write_text(f'if TYPE_CHECKING:\n    from .{other} import x\n')
    assert symbols.circles(symbols.python_needs(tmp_path)) == [['a', 'b']]


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


def test_exported_names_begin_with_the_word_of_their_module(tables):
    """main(), the names of libbenchd, and those that stand in for libc's are given."""
    headers = {name: (tree.ROOT / name).read_text() for name in tree.files('.h') if name.startswith(symbols.FOLDERS)}
    own = {source: ({name for name in defined if name != 'main' and not (source.startswith('client/lib/') and name.startswith('benchd_'))}, wanted)
           for source, (defined, wanted) in tables.items() if not source.startswith(symbols.STAND_INS)}
    assert sum(len(defined) for defined, _ in own.values()) > 2000 and sum(len(symbols.types(text)) for text in headers.values()) > 500
    assert symbols.astray(own, headers) == []


def test_a_name_of_another_module_is_seen():
    headers = {'daemon/launch/lease/leases.h': """
        /* typedef struct Comment Comment; */
typedef struct Ticket Ticket;
typedef struct Lease {
        int cpu;
} Lease;
typedef enum Kind {
        LEASE_NONE,
} Kind;
typedef void (*Told)(void *userdata);
typedef uint64_t Function(void);
extern const int n_leases, n_cpus;
""", 'client/ctl/ask/fleet/machine.h': 'typedef struct FleetMachine FleetMachine;\nint fleet_machine_open(void);'}
    tables = {'daemon/launch/lease/leases.c': ({'lease_new', 'leases_free', 'n_leases', 'n_cpus', 'grant_take', 'leased'}, set()),
              'client/ctl/ask/fleet/machine.c': ({'fleet_machine_open', 'hosts_open'}, set()),
              'daemon/ops/block.c': ({'memory_block_check', 'memories_check', 'crash_words'}, set())}
    assert symbols.astray(tables, headers) == [
        'client/ctl/ask/fleet/machine.c: hosts_open', 'daemon/launch/lease/leases.c: grant_take', 'daemon/launch/lease/leases.c: leased',
        'daemon/launch/lease/leases.c: n_cpus', 'daemon/launch/lease/leases.h: Function', 'daemon/launch/lease/leases.h: Kind',
        'daemon/launch/lease/leases.h: Told', 'daemon/ops/block.c: crash_words']
