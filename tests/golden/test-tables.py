# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual, the journal's catalog and PROTOCOL.md tell the tables in the code: all of each, and nothing else.

Arguments: front-tables.json, the source directory, the directory of benchd_pb2.py, the journal's catalog.
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


catalog = pathlib.Path(sys.argv[4]).read_text()
compare('benchd.catalog', re.findall('^-- ([0-9a-f]{32})$', catalog, re.M), [row['id'] for row in tables['messages']])

protocol = (source / 'proto/PROTOCOL.md').read_text()

methods = [(row['name'], frozenset(row['takes'])) for row in tables['methods']]
compare('PROTOCOL.md', table_methods(protocol), methods)
compare('benchctl.1', manual_methods((source / 'man/benchctl.1.in').read_text()), [name for name, takes in methods])

kinds = [row['kind'] for row in tables['warnings']]
for row in tables['warnings']:
    assert len(row.get('note', '')) <= 14, f'warning.c: the note of {row["kind"]} is too long for a table'
    assert len(f'- {row.get("advice", "")}') <= 80, f'warning.c: the advice of {row["kind"]} is too long for a line'

told = re.split(r'^\.PP$|^\.SH ', (source / 'man/benchctl-table.7.in').read_text().split('Some need an explanation:\n')[1], maxsplit=1, flags=re.M)[0]
kinds_told = [word for line in re.findall(r'^\.TP\n\.BR? (.*)$', told, re.M) for word in re.findall(r'[a-z-]+', line.replace('\\-', '-'))]
assert len(kinds_told) > 10
for kind in kinds_told:
    assert kind in kinds, f'benchctl-table.7: no finding is called {kind}'

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
