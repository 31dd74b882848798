# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever compiles and links a module: it registers the same things in the order of the source, through one symbol."""

import re
import subprocess

import pytest

from toolbox import LANGUAGES

LINKERS = {
    'ld': [],
    'lld': ['-fuse-ld=lld'],
    'ld-gc': ['-Wl,--gc-sections', '-Wl,-z,defs'],
    'lld-gc': ['-fuse-ld=lld', '-Wl,--gc-sections', '-Wl,-z,defs'],
}

AREAS = [
    'area first_area size=1 about=an area hidden=1',
    'area second_area size=1 about=- hidden=0',
]

# Name, and what is not the default, in the order of the sources.
BENCHMARKS = [
    ('plain', {}),
    ('every_option', {'title': 'Any text: 100 %', 'about': 'one line', 'area': 'first_area', 'ops': '7', 'hidden': '1',
                      'reference': '1', 'functions': '111', 'iterations': '9', 'samples': '11', 'processes': '13',
                      'threads': '1,2,4,0', 'n': '1,-2,3000000000'}),
    ('other_options', {'min_time_ns': '15', 'warmup_ms': '17', 'prime': '2', 'method': 'mark4', 'cpus': '3'}),
    ('called_as_told', {'iterations': '1', 'warmup_ms': '4294967295'}),
    ('ranged', {'n': '100..1638400*2'}),
    ('product', {'m': '1,2', 'n': '1..8*2'}),
    ('product4', {'i': '1', 'j': '2', 'k': '3', 'l': '4'}),
    ('reals', {'x': '0.5,-0.75,3,1e+300'}),
    ('texts', {'s': '0,1e300'}),
    ('linear', {'n': '-5..100+5'}),
    ('product_of_kinds', {'x': '0.25', 's': 'a,b', 'n': '0..4+2', 'm': '7'}),
    ('most_values', {'n': ','.join(str(i) for i in range(1, 25))}),
    ('every_name', {}),
    ('second_file', {'area': 'second_area'}),
    ('plain', {'area': 'second_area'}),
]

DEFAULTS = {
    'size': '1', 'run': '1', 'title': '-', 'about': '-', 'area': '-', 'ops': '0', 'hidden': '0', 'reference': '0',
    'functions': '000', 'iterations': '0', 'samples': '0', 'processes': '0', 'min_time_ns': '0', 'warmup_ms': '0',
    'prime': '0', 'method': '-', 'cpus': '0', 'threads': '0,0,0,0',
}


def parse(line):
    name, rest = re.match(r'bench (\S+) (.*)', line).groups()
    fields = dict(re.findall(r'(\w+)=(.*?)(?= \w+=|$)', rest))
    assert fields.pop('file').startswith('/')
    return name, {key: value for key, value in fields.items() if DEFAULTS.get(key) != value}


def exported(module):
    """The names that the module offers to others: defined, and not hidden."""
    table = subprocess.run(['readelf', '-W', '--dyn-syms', module], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r'^\s*\d+: \S+ +\d+ \w+ +(\w+) +(\w+) +(\w+) (\S+)', table, re.M)
    return {name for _, visibility, section, name in rows if section != 'UND' and visibility in ('DEFAULT', 'PROTECTED')}


def check(toolbox, module, optimized):
    lines = toolbox.read(module)
    assert lines[0] == f'module abi=1 size=1 optimized={optimized}'
    assert lines[1:3] == AREAS
    assert [parse(line) for line in lines[3:]] == BENCHMARKS
    assert exported(module) == {'benchd_module'}


@pytest.mark.parametrize('level', ['-O0', '-O1', '-O2', '-O3'])
@pytest.mark.parametrize('language', LANGUAGES)
def test_every_compiler_level_and_linker_registers_the_same(toolbox, language, level):
    sections = [level, '-ffunction-sections', '-fdata-sections']
    objects = [toolbox.compile(language, name, sections) for name in ('full.c', 'second.c')]
    for linker in LINKERS.values():
        check(toolbox, toolbox.link(language, objects, linker), int(level != '-O0'))


@pytest.mark.parametrize('language', LANGUAGES)
def test_link_time_optimisation_loses_nothing(toolbox, language):
    objects = [toolbox.compile(language, name, ['-O2', '-flto']) for name in ('full.c', 'second.c')]
    linker = ['-fuse-ld=lld'] if language.startswith('clang') else []
    check(toolbox, toolbox.link(language, objects, ['-O2', '-flto', '-Wl,--gc-sections', *linker]), 1)


@pytest.mark.parametrize('language', [name for name in LANGUAGES if '++' in name])
def test_cxx_without_exceptions_or_type_information(toolbox, language):
    objects = [toolbox.compile(language, name, ['-O2', '-fno-exceptions', '-fno-rtti']) for name in
               ('full.c', 'second.c')]
    check(toolbox, toolbox.link(language, objects), 1)


def test_c_and_cxx_in_one_module(toolbox):
    objects = [toolbox.compile('gcc-c11', 'full.c', ['-O2']), toolbox.compile('g++-c++17', 'second.c', ['-O2'])]
    check(toolbox, toolbox.link('g++-c++17', objects), 1)


def test_a_stripped_module_is_still_one(toolbox):
    objects = [toolbox.compile('gcc-c11', name, ['-O2']) for name in ('full.c', 'second.c')]
    check(toolbox, toolbox.link('gcc-c11', objects, ['-s']), 1)


def test_the_source_is_inside(toolbox):
    module = toolbox.link('gcc-c11', [toolbox.compile('gcc-c11', 'full.c', ['-O1'])])
    copy = module.with_suffix('.source')
    subprocess.run(['objcopy', '-O', 'binary', '--only-section=benchd_source', '--set-section-flags',
                    'benchd_source=alloc', module, copy], check=True)
    mark, name, text = re.fullmatch(rb'(\x01)([^\0]+)\0([^\0]+)\0', copy.read_bytes()).groups()
    assert name.endswith(b'full.c') and text.endswith(b'BENCH_EMBED_SOURCE;\n')


def test_an_export_too_many_would_be_seen(toolbox, tmp_path):
    source = tmp_path / 'loud.c'
    source.write_text('#include <benchd/bench.h>\n'
                      '__attribute__((visibility("default"))) int loud = 1;\n'
                      'BENCH(quiet) { bench_loop(b); }\n')
    target = tmp_path / 'loud.so'
    assert toolbox.try_compile('gcc-gnu17', source, ['-shared', '-o', target]).returncode == 0
    assert exported(target) == {'benchd_module', 'loud'}
