# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schemas of the build, stricter than they are installed: a document has no field that they lack."""

import json

import jsonschema

from .paths import BUILD

NAMES = ["run-result", "fleet-result", "answers"]


def read(name):
    return json.loads((BUILD / f"client/lib/{name}.schema.json").read_text())


def closed(part):
    if isinstance(part, list):
        return [closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    made = {key: closed(value) for key, value in part.items()}
    return made | {"additionalProperties": False} if "properties" in made and "required" in made else made


def validator(name, definition=None):
    """Of a whole document, or of one that is a definition of a schema."""
    store = {f"{each}.schema.json": closed(read(each)) for each in NAMES}
    whole = {"$ref": f"{name}.schema.json#" + (f"/$defs/{definition}" if definition else "")}
    return jsonschema.Draft202012Validator(whole, resolver=jsonschema.RefResolver("", whole, store=store))
