# SPDX-License-Identifier: GPL-3.0-or-later
"""SECURITY.md says of each directive of both units why it is there, of each reader of strangers' bytes where it is fuzzed, and names
only options, files and targets that there are."""

import re

import pytest

from support.paths import BUILD
from test_units import EXPOSURE
from tree import ROOT

TEXT = (ROOT / 'SECURITY.md').read_text()
UNITS = ['benchd.service', 'benchd-launch.service']


def section(title, text=TEXT):
    """What stands below a heading, up to the next of its level or a higher one."""
    level = title.split(' ')[0]
    return re.search(rf'^{re.escape(title)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)', text, re.M | re.S)[1]


def rows(text):
    """The cells of the rows of all tables, without their heads."""
    table = re.compile(r'^\|.*\|\n\|[-| ]+\|\n((?:\|.*\|\n)+)', re.M)
    return [[cell.strip() for cell in line.strip('|').split(' | ')] for body in table.findall(text)
            for line in body.splitlines()]


def quoted(cell):
    return re.findall(r'`([^`]+)`', cell)


def directives(unit):
    text = (ROOT / 'systemd' / f'{unit}.in').read_text()
    service = re.search(r'^\[Service\]\n(.*?)(?=^\[)', text, re.M | re.S)[1]
    return set(re.findall(r'^(\w+)=', service, re.M))


def told(unit):
    """The directives that the text gives a reason for: those that are there, and those that are absent."""
    there, absent = section(f'### {unit}').split('\nAbsent:\n')
    return [name for row in rows(there) for name in quoted(row[0])], [name for row in rows(absent) for name in quoted(row[0])]


@pytest.mark.parametrize('unit', UNITS)
def test_each_directive_of_a_unit_has_its_reason(unit):
    there, _ = told(unit)
    assert sorted(directives(unit) - set(there)) == [], f'SECURITY.md gives no reason for these of {unit}'
    assert sorted(set(there) - directives(unit)) == [], f'SECURITY.md gives a reason for what {unit} has not'
    assert len(there) == len(set(there)) > 20


@pytest.mark.parametrize('unit', UNITS)
def test_what_is_said_to_be_absent_is_absent(unit):
    _, absent = told(unit)
    assert sorted(directives(unit) & set(absent)) == []
    assert len(absent) > 2


def test_each_directive_of_one_service_is_in_the_other_or_absent_from_it_with_a_reason():
    both = {unit: directives(unit) for unit in UNITS}
    hardening = {name for name in both['benchd.service'] if name.startswith(('Private', 'Protect', 'Restrict', 'SystemCall', 'IPAddress', 'Lock', 'Memory'))}
    unsaid = hardening - both['benchd-launch.service'] - set(told('benchd-launch.service')[1])
    assert sorted(unsaid - {'MemoryMax', 'SystemCallErrorNumber'}) == []  # neither is a right


def test_the_exposure_is_the_one_that_is_held():
    found = {row[0]: float(row[1]) for row in rows(section('## Exposure'))}
    assert found == {unit: points / 10 for unit, points in EXPOSURE.items()}


def test_each_reader_of_strangers_bytes_is_there_and_has_its_target():
    targets = re.findall(r"^    '([\w-]+)': \[", (ROOT / 'tests/fuzz/meson.build').read_text(), re.M)
    readers = rows(section('## Bytes that strangers send, and who reads them'))
    assert len(readers) > 10
    for _, _, sources, _, target in readers:
        assert quoted(target)[0] in targets
        places = [source for source in quoted(sources) if '/' in source]
        assert places and [place for place in places if not (ROOT / place).exists()] == []


def test_each_fuzz_target_is_named_in_the_table_of_readers_and_no_other():
    targets = {path.stem.removeprefix('fuzz-') for path in (ROOT / 'tests/fuzz').glob('fuzz-*.c')}
    named = {name for row in rows(section('## Bytes that strangers send, and who reads them')) for name in quoted(row[-1])}
    assert sorted(targets - named) == [], 'SECURITY.md names no reader for these'
    assert sorted(named - targets) == [], 'SECURITY.md names targets that there are not'
    assert len(targets) > 10


def test_each_option_that_is_named_is_one_of_the_configuration():
    options = set(re.findall(r'^#?(\w+)=', (BUILD / 'systemd/benchd.conf').read_text(), re.M))
    named = set(re.findall(r'`([a-z_]+)=`', TEXT))
    assert len(named) > 10
    assert sorted(named - options) == []


def test_a_directive_without_a_reason_would_be_seen():
    assert rows('| a | b |\n|---|---|\n| `X`, `Y` | why |\n') == [['`X`, `Y`', 'why']]
    assert section('### b', '### a\n1\n### b\n2\n## c\n3\n') == '2\n'
