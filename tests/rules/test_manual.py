# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual has each name of the installed headers and of the programs' tables, so that an addition to one is one to its page; it
tells nothing that is not there; and each page renders."""

import re
import shutil
import subprocess

import pytest

from support import pages
from tree import ROOT

INCLUDE = ROOT / 'include/benchd'
NAMES = {page.name for page in pages.PAGES}


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
    lost = missing(pages.page(page), found)
    assert len(found) > 40
    assert lost == [], f'man/{page} says nothing of {", ".join(lost)}: write a line for each, as for the others of {header}'


def test_a_name_that_lacks_its_line_would_be_seen():
    assert missing('.SS Body\n.TP\n.BI bench_loop( b )\n.BR .args\n', ['bench_loop', '.args', 'bench_loops', 'bench']) == ['bench_loops', 'bench']
    assert names_of_client('/* benchd_no() */ int benchd_yes(int a);\nenum { BENCHD_E_X, };') == ['BENCHD_E_X', 'benchd_yes']


@pytest.mark.parametrize('page', pages.PAGES, ids=lambda page: page.name)
def test_a_page_has_one_line_for_apropos(page):
    lines = re.search(r'^\.SH NAME\n((?:.*\n)+?)\.SH', page.read_text(), re.M)[1].splitlines()
    assert len(lines) == 1 and re.fullmatch(r'[\w.\\-]+ \\- .*', lines[0]), lines
    assert 'bench' in lines[0]


@pytest.mark.parametrize('page', pages.PAGES, ids=lambda page: page.name)
def test_a_page_names_only_pages_that_there_are(page):
    named = set(re.findall(r'\b(bench[\w.-]*|libbenchd)\((\d)\)', pages.plain(page.read_text())))
    missing = sorted(f'{name}.{number}' for name, number in named if f'{name}.{number}' not in NAMES)
    assert missing == [], f'man/{page.name} sends its reader to {", ".join(missing)}'


def test_units_and_messages_send_their_reader_to_pages_that_there_are():
    named = {found for path in (ROOT / 'systemd').iterdir() for found in re.findall(r'man:([\w.-]+)\((\d)\)', path.read_text())}
    assert named and [page for page in named if '.'.join(page) not in NAMES] == []


def test_each_page_is_installed_and_within_reach_of_another():
    rows = (ROOT / 'man/meson.build').read_text()
    assert [page.name for page in pages.PAGES if f"'{page.name}'" not in rows] == []
    for page in pages.PAGES:
        name = page.stem.replace('.', r'\.')
        others = [other.name for other in pages.PAGES if other != page and re.search(rf'{name}\({page.suffix[1]}\)', pages.plain(pages.section(other.read_text(), 'SEE ALSO')))]
        assert others, f'SEE ALSO of no other page names {page.name}'


def riddles(roff):
    """Sentences that begin with a question word instead of their subject."""
    text = ' '.join(pages.plain(re.sub(r'^\.EX$.*?^\.EE$', '.', roff, flags=re.M | re.S)).split())
    return re.findall(r'[.:!?] ((?:What|Whether|Of|Where)\b.{0,60})', text)


@pytest.mark.parametrize('page', pages.PAGES, ids=lambda page: page.name)
def test_sentences_of_a_page_begin_with_their_subject(page):
    assert riddles(page.read_text()) == []


def test_a_sentence_that_begins_with_a_question_word_is_seen():
    assert riddles('It is so. Where it\nis not, it is not.\n') and not riddles('It is so, where\nit is. If not, not.\n')


# ---- rendering

def rendered(page):
    """Its lines in a terminal of 80 columns, and what groff complains of."""
    done = subprocess.run(['groff', '-ww', '-man', '-Kutf8', '-Tutf8', '-P-cbou', '-rLL=80n', page], capture_output=True, text=True)
    return done.stdout.splitlines(), done.stderr


@pytest.mark.skipif(not shutil.which('groff'), reason='groff is not installed')
@pytest.mark.parametrize('page', pages.PAGES, ids=lambda page: page.name)
def test_a_page_renders_without_a_warning_and_within_80_columns(page):
    lines, complaints = rendered(page)
    assert complaints == ''
    assert len(lines) > 50
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.skipif(not shutil.which('groff'), reason='groff is not installed')
def test_a_page_that_does_not_render_is_seen(tmp_path):
    (tmp_path / 'x.1').write_text('.TH X 1\n.SH NAME\nx \\- y\n.EX\n' + 'x' * 90 + '\n.EE\n.XX\n')
    lines, complaints = rendered(tmp_path / 'x.1')
    assert "macro 'XX' not defined" in complaints and max(map(len, lines)) > 80


@pytest.mark.skipif(not shutil.which('mandoc'), reason='mandoc is not installed')
@pytest.mark.parametrize('page', pages.PAGES, ids=lambda page: page.name)
def test_mandoc_has_nothing_to_say_of_a_page(page):
    """It reads roff by rules of its own; that a page has no date is on purpose."""
    done = subprocess.run(['mandoc', '-T', 'lint', '-W', 'warning', page], capture_output=True, text=True)
    assert [line for line in done.stdout.splitlines() if 'missing date' not in line] == []


# ---- the tables of the programs that stand in their sources

def sources(*folders):
    return [path.read_text() for folder in folders for path in sorted((ROOT / folder).rglob('*.c'))]


def variables(texts):
    """Names of environment variables: those that are asked for, and where a name comes from a table, all names of that file."""
    found = set()
    for text in texts:
        found |= set(re.findall(r'getenv\("(\w+)"\)', text))
        if re.search(r'getenv\((?!")|command_add_variable\((?!Command)', text):
            found |= set(re.findall(r'"([A-Z][A-Z_]+)"', text))
    return found


LOCALE = {'LC_ALL', 'LC_CTYPE', 'LANG'}  # setlocale()
SYSTEMD = {'LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES', 'NOTIFY_SOCKET', 'WATCHDOG_PID', 'WATCHDOG_USEC'}  # sd_listen_fds(), sd_notify(), sd_event_set_watchdog()


@pytest.mark.parametrize('page, texts, by_libraries', [
    ('benchctl.1', [*sources('client'), (ROOT / 'daemon/runner/here.c').read_text()], LOCALE),
    ('benchd.8', sources('daemon/front'), SYSTEMD),
    ('benchd-launch.8', sources('daemon/launch'), SYSTEMD),
])
def test_a_page_has_each_environment_variable_of_its_program_and_no_other(page, texts, by_libraries):
    told = [name for tag in pages.tags(pages.section(pages.page(page), 'ENVIRONMENT')) for name in tag.split(', ')]
    assert sorted(told) == sorted(variables(texts) | by_libraries)


def codes_told(page):
    return sorted(int(tag) for tag in pages.tags(pages.section(pages.page(page), 'EXIT STATUS')))


def test_the_manual_and_hacking_have_each_exit_code_and_no_other():
    codes = sorted(int(code) for code in re.findall(r'^ +EXIT_\w+ = (\d+)', (ROOT / 'client/ctl/base/exit.h').read_text(), re.M))
    table = re.search(r'^\| 0 \|.*$', (ROOT / 'HACKING.md').read_text(), re.M)[0]
    assert codes_told('benchctl.1') == codes == sorted(map(int, table.strip('| ').split(' | ')))
    defined = [int(code) for code in re.findall(r'define EXIT_\w+ (\d+)', ''.join(sources('daemon/front')) + (ROOT / 'daemon/front/daemon.h').read_text())]
    assert codes_told('benchd.8') == sorted([0, 1, *defined])


def test_the_manual_has_each_process_that_ps_shows():
    names = {name for text in sources('daemon') for name in re.findall(r'(?:PR_SET_NAME, |receiver_start\()"([\w-]+)"', text)}
    told = {*pages.tags(pages.section(pages.page('benchd-launch.8'), 'PROCESSES')), 'benchd'}
    assert told == names and len(names) > 4
    links = set(re.findall(r"'(benchd-\w+)'", (ROOT / 'man/meson.build').read_text()))
    assert links == names - {'benchd'}, 'man/meson.build: each of them is a name of the page'


def test_the_page_of_the_protocol_has_the_frame_that_a_test_makes():
    frame = re.search(r'^\.EX\n([0-9a-f ]+)$', pages.page('benchd-protocol.7'), re.M)[1]
    assert f'    {frame}\n' in (ROOT / 'proto/PROTOCOL.md').read_text()  # where a test makes it


def test_protocol_has_each_word_for_the_end_of_a_module_or_a_benchmark_and_no_other():
    """A cancelled process is in no result: its benchmark is as far as it came."""
    ends = re.findall(r'\{ RUNNER_END_\w+, "([\w-]+)",.*?RUNNER_END_BLAME_(\w+)', (ROOT / 'daemon/ops/block.c').read_text(), re.S)
    of_module = {word for word, blame in ends if blame == 'MODULE'}
    others = {word for word, blame in ends if blame != 'MODULE'}
    others |= set(re.findall(r'process_end_set\(ret_end,(?: benchmark->skipped \?)? "([\w-]+)"', (ROOT / 'daemon/front/samples/process-end.c').read_text())) | {'threads'}
    text = (ROOT / 'proto/PROTOCOL.md').read_text()
    table = re.search(r'^## Failures\n(.*?)^A module that cannot', text, re.M | re.S)[1]
    told = [word for cell in re.findall(r'^\| (`.*?) \|', table, re.M) for word in re.findall(r'`([\w-]+)`', cell)]
    sentence = re.search(r'those\s+under\s+\*Failures\*\s+that\s+fit\s+a\s+process,\s+and\s+(.*?)\n\n', text, re.S)[1]

    assert sorted(told) == sorted(others - {'cancelled'})
    assert sorted(re.findall(r'`([\w-]+)`', sentence)) == sorted(of_module) and len(of_module) > 7


def test_a_variable_that_is_not_told_would_be_seen():
    assert variables(['getenv("A_B") "C_D"', 'secure_getenv(name) "E_F" "x"']) == {'A_B', 'E_F'}
    assert pages.tags('.TP\n.BR A ", " B\ntext\n.TP\n.B \\-\\-x\n') == ['A, B', '--x']
