# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual, the journal's catalog and PROTOCOL.md tell the tables in the code: all of each, and nothing else.

Arguments: front-tables.json, the source directory, the directory of benchd_pb2.py.
"""

import json
import pathlib
import re
import sys

tables, source, proto_directory = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, proto_directory)

import benchd_pb2 as pb  # noqa: E402
from google.protobuf import text_format  # noqa: E402


def compare(name, told, meant):
    for entry in meant:
        assert entry in told, f'{name}: it lacks {entry}'
    for entry in told:
        assert entry in meant, f'{name}: it tells what is not so: {entry}'
    assert len(told) == len(meant), f'{name}: something stands there twice'


def catalog_messages(text):
    return re.findall(r'^-- ([0-9a-f]{32})\nSubject: (.*)\nDefined-By: benchd\n(?:\w+: .*\n)*\n\S', text, re.M)


def table_limits(text):
    table = text.split('### Limits')[1].split('\n#')[0]
    cells = re.findall(r'^\| (.*?) \| (.*?) \|$', table, re.M)
    return [(left.replace('`', ''), right) for left, right in cells if set(left) - set('-| ')]


def table_methods(text):
    """Of PROTOCOL.md's table: each method with the fields that it takes."""
    table = text.split('### Methods')[1].split('\n#')[0]
    return [(name, frozenset(re.findall(r'`(\w+)`', takes)))
            for names, takes in re.findall(r'^\| (`.*?) \| (.*?) \|', table, re.M) for name in re.findall(r'`(\w+)`', names)]


def manual_methods(text):
    section = text.split('.SH METHODS\n')[1].split('\n.SH ')[0]
    return ['benchd', *(name for names in re.findall(r'^\.TP\n\.B (.*)$', section, re.M) for name in names.split(', '))]


def varint(number):
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + varint(number >> 7)


def examples(text):
    """Of PROTOCOL.md's examples: type, message as protobuf's text, bytes as they stand there."""
    block = text.split('## An example in bytes')[1].split('```')[1]
    return [(kind, message, bytes.fromhex(''.join(re.findall(r'^    +((?:[0-9a-f]{2} ?)+)', dump, re.M))))
            for kind, message, dump in re.findall(r'^(Request|Reply) (.*)\n((?: .*\n)+)', block, re.M)]


messages = [(row['id'], row['text']) for row in tables['messages']]
compare('benchd.catalog', catalog_messages((source / 'systemd/benchd.catalog').read_text()),
        messages)
compare('benchd.8', re.findall(r'^\.TP\n\.B (.*)\n([0-9a-f]{32})$', (source / 'man/benchd.8').read_text().replace('\\-', '-'), re.M),
        [(text, identifier) for identifier, text in messages])
assert (source / 'systemd/benchd.catalog').read_text().count('\n-- ') == len(messages)

protocol = (source / 'proto/PROTOCOL.md').read_text()
compare('PROTOCOL.md', table_limits(protocol), [(row['what'], row['limit']) for row in tables['limits']])

methods = [(row['name'], frozenset(row['takes'])) for row in tables['methods']]
compare('PROTOCOL.md', table_methods(protocol), methods)
compare('benchctl.1', manual_methods((source / 'man/benchctl.1.in').read_text()), [name for name, takes in methods])

warnings = [(row['kind'], row.get('note', ''), row['advice']) for row in tables['warnings']]
kinds = protocol.split('The kinds are\n\n')[1].split('.\n')[0]
compare('PROTOCOL.md', re.findall(r'`([a-z-]+)`', kinds), [kind for kind, note, advice in warnings])
for kind, note, advice in warnings:
    assert len(f'- {advice}') <= 80 and len(note) <= 14, f'warning.c: the words of {kind} are too long for a table'

told = re.split(r'^\.PP$', (source / 'man/benchctl.1.in').read_text().split('Some need more words:\n')[1], maxsplit=1, flags=re.M)[0]
kinds_told = [word for line in re.findall(r'^\.TP\n\.BR? (.*)$', told, re.M) for word in re.findall(r'[a-z-]+', line.replace('\\-', '-'))]
assert len(kinds_told) > 10
for kind in kinds_told:
    assert kind in [kind for kind, note, advice in warnings], f'benchctl.1: no finding is called {kind}'

shown = examples(protocol)
assert len(shown) >= 4
for kind, message, frame in shown:
    payload = text_format.Parse(message, getattr(pb, kind)()).SerializeToString()
    assert frame == varint(len(payload)) + payload, \
        f'PROTOCOL.md: {kind} {message} is {(varint(len(payload)) + payload).hex(" ")}'

# What PROTOCOL.md says of each request and reply is complete.
for name in {field.name for message in (pb.Request, pb.Reply) for field in message.DESCRIPTOR.fields}:
    assert f'`{name}`' in protocol, f'PROTOCOL.md: nothing on `{name}`'
print('the texts tell the tables')
