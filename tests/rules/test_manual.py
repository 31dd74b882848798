# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual has each name of the installed headers, so that an addition to a header is one to its page."""

import re

import pytest

from tree import ROOT

INCLUDE = ROOT / 'include/benchd'


def plain(roff):
    """The text of a page without requests and escapes; names of functions stand as they are written."""
    text = re.sub(r'^\.\\".*$', '', roff, flags=re.M)
    text = re.sub(r'^\.[A-Z]+ ?', '', text, flags=re.M)
    return re.sub(r'\\-', '-', re.sub(r'\\f.|\\&|"', '', text))


def names_of_client(header):
    """Functions and the words of enumerations."""
    code = re.sub(r'/\*.*?\*/', '', header, flags=re.S)
    found = re.findall(r'\b(benchd_\w+)\(', code) + re.findall(r'\b(BENCHD_(?:E|EVENT)_\w+)\b', code)
    return sorted(set(found))


def names_of_bench(header):
    """Macros, functions, and the words of options. A name that ends with _ is the header's own."""
    code = re.sub(r'/\*.*?\*/', '', header, flags=re.S)
    found = re.findall(r'^# *define ((?:BENCH|bench)\w*)\b', code, re.M)
    found += re.findall(r'^static inline [^;={]*\b(bench_\w+)\(', code, re.M)
    found += re.findall(r'^        (BENCH_(?:YES|NO))\b', code, re.M)
    options = re.search(r'struct bench_options \{\n(.*?)\n\};', code, re.S)[1]
    found += ['.' + name for name in re.findall(r'(\w+);', options) if name not in ('end', 'padding')]
    own = re.compile(r'.*_|BENCHD_BENCH_H|BENCH_AXIS_\w+')
    return sorted({name for name in found if not own.fullmatch(name)})


def missing(page, names):
    text = plain(page)
    return [name for name in names if not re.search(rf'(?<!\w){re.escape(name)}(?!\w)', text)]


@pytest.mark.parametrize('header, page, names', [
    ('client.h', 'libbenchd.3', names_of_client),
    ('bench.h', 'bench.h.3', names_of_bench),
])
def test_a_page_has_each_name_of_its_header(header, page, names):
    found = names((INCLUDE / header).read_text())
    lost = missing((ROOT / 'man' / page).read_text(), found)
    assert len(found) > 40
    assert lost == [], f'man/{page} says nothing of {", ".join(lost)}: write a line for each, as for the others of {header}'


def prototypes(header):
    code = re.sub(r'/\*.*?\*/', '', header, flags=re.S)
    found = re.findall(r'^((?:const )?\w+ \*?benchd_\w+\([^;{]*\);)', code, re.M)
    return [' '.join(prototype.split()) for prototype in found]


def test_the_library_s_page_has_each_prototype_as_the_header_has_it():
    page = (ROOT / 'man/libbenchd.3').read_text().replace('\\\n', '')
    told = re.findall(r'^\.B ((?:const )?\w+ \*?benchd_\w+\(.*\);)$', page, re.M)
    meant = prototypes((INCLUDE / 'client.h').read_text())

    assert len(meant) > 50
    assert [prototype for prototype in meant if prototype not in told] == [], 'man/libbenchd.3 lacks these of client.h'
    assert [prototype for prototype in told if prototype not in meant] == [], 'man/libbenchd.3 tells what client.h has not'


def test_a_name_that_lacks_its_line_would_be_seen():
    assert missing('.SS Body\n.TP\n.BI bench_loop( b )\n.BR .args\n', ['bench_loop', '.args', 'bench_loops', 'bench']) == ['bench_loops', 'bench']
    assert names_of_client('/* benchd_no() */ int benchd_yes(int a);\nenum { BENCHD_E_X, };') == ['BENCHD_E_X', 'benchd_yes']


@pytest.mark.parametrize('page', sorted((ROOT / 'man').glob('*.[0-9]')), ids=lambda page: page.name)
def test_a_page_has_one_line_for_apropos(page):
    lines = re.search(r'^\.SH NAME\n((?:.*\n)+?)\.SH', page.read_text(), re.M)[1].splitlines()
    assert len(lines) == 1 and re.fullmatch(r'[\w.\\-]+ \\- .*', lines[0]), lines
    assert 'bench' in lines[0]
