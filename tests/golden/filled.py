# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages with every field, and what the test programs print of them."""

import json
import subprocess
import sys


def fill(message):
    """Sets every field of message, repeated ones once."""
    for field in message.DESCRIPTOR.fields:
        repeated = field.label == field.LABEL_REPEATED
        if field.type == field.TYPE_MESSAGE:
            fill(getattr(message, field.name).add() if repeated else getattr(message, field.name))
            continue
        value = {
            field.TYPE_STRING: "text",
            field.TYPE_BOOL: True,
            field.TYPE_DOUBLE: 1.5,
            field.TYPE_UINT32: 7,
            field.TYPE_UINT64: 7,
            field.TYPE_SINT64: -7,
        }.get(field.type) if field.type != field.TYPE_ENUM else field.enum_type.values[0].number
        if repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)
    return message


def frame(message):
    data, n, header = message.SerializeToString(), len(message.SerializeToString()), b""
    while n >= 0x80:
        header += bytes([n & 0x7F | 0x80])
        n >>= 7
    return header + bytes([n]) + data


def json_of(program, replies):
    """What reply-json prints of the replies to one request."""
    run = subprocess.run([program], input=b"".join(map(frame, replies)), stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout, parse_constant=lambda word: sys.exit(f"{word} is no JSON"))
