#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what tells benchctl's JSON, from the comments of proto/benchd.proto and client/ctl/documents.proto.

documents.py schema ROOT OUTPUT BRIEF.c PROTO...      the JSON Schema of a document, the message ROOT
documents.py tables OUTPUT BRIEF.c PROTO...           the objects of all documents, as lists for scripts/fill-template

The messages become JSON by these rules, which client/lib/json.c follows: a word of an enumeration in lower case with hyphens; a field
that ends with _unix_ns as a date without that end; a Quantity in a field that ends with _ns as a time, without its source. The tables
below are the exceptions. In a text "word" and `name` stay as they are: a schema drops the quotes, a page has italics.
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True

import proto  # noqa: E402

# Fields under another name: those in nanoseconds that are in seconds.
RENAMED = {("Plan", "budget_ns"): "budget_s", ("Plan", "expected_ns"): "expected_s"}
# Lists of {name, value} that are objects {NAME: value}, with the types of the value.
MAPS = {"ArgumentValue": ["number", "string", "null"], "Counter": ["number", "null"], "SampleCounts": ["array"]}
# Fields that JSON has and the message has not: each behind the one that is named.
ADDED = {"RunResult": ("warnings", "benchmarks", "repeated", "BenchmarkResult",
                       "A result for each benchmark, set of arguments and number of threads; of a comparison two, one a side.")}
# Lists that are one in JSON: those of one kind of value each.
MERGED = {("Argument", "reals"), ("Argument", "texts")}
# Fields that an answer may lack.
LACKING = {("History", "removed_jobs"), ("History", "removed_until_unix_ns"), ("History", "warnings")}

NUMBERS = {"uint32": "integer", "uint64": "integer", "sint64": "integer", "double": "number"}
SCALARS = {**NUMBERS, "string": "string", "bool": "boolean"}
NOTE = re.compile(r"null|word|date|lists|bits \w+|.*\.\..*")  # those in brackets that are no unit
UNITS = ["ns", "ms", "s", "ticks", "Hz", "ppm", "bytes", "cycles", "share"]  # as the end of a name

HEAD = {
    "RunResult": ("The output of benchctl run --format=json for one module; for several it is an array of these",
                  "Every field is present; an absent value is null, an absent object one whose fields are null. Later versions add fields, and take none away."),
    "FleetResult": ("The output of benchctl run and compare --format=json on several machines (--host) for one module; for several it is an array of these",
                    "Every field is present; an absent value is null. Later versions add fields, and take none away. The result of each machine is as run-result.schema.json beside this file has it."),
    "Answers": ("The other documents that benchctl prints, each a definition of its own", "As run-result.schema.json beside this file."),
}


def word_of(enum, value):
    """A value in JSON: the names of an enumeration outside of messages begin with its first word."""
    prefix = "" if enum.parent.name else re.match("[A-Z][a-z]+", enum.name)[0].upper() + "_"
    return value.name.removeprefix(prefix).lower().replace("_", "-")


def listed(words, last="or"):
    """a, b or c"""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def sentence(text):
    """@text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".:" else ".") if text else ""


def plain(text):
    """@text without the marks of words and names."""
    return re.sub(r'"([^"]+)"|`([^`]+)`', lambda found: found[1] or found[2], text)


def snake(name):
    return re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()


class Field:
    """A field of a document: its name, its type and its words."""

    def __init__(self, book, message, entry):
        self.book, self.message, self.entry = book, message, entry
        self.type, self.repeated, self.required = entry.type, entry.label == "repeated", entry.label == "required"
        self.target = proto.find(book.messages, entry.type, message)
        self.is_date = entry.name.endswith("_unix_ns") or "date" in entry.notes
        self.name = RENAMED.get((message.name, entry.name), entry.name.removesuffix("_unix_ns"))
        self.is_time = entry.type == "Quantity" and self.name.endswith("_ns")
        self.lacking = (message.name, entry.name) in LACKING

    @property
    def object(self):
        """The name of the object that the field, or an item of it, is; None for a value."""
        if self.target is None or self.target.is_enum or self.target.name in MAPS:
            return None
        return "time" if self.is_time else snake(self.target.name)

    @property
    def nullable(self):
        return not self.repeated and self.object and ("null" in self.target.notes or "null" in self.entry.notes)

    @property
    def words(self):
        """The words that it may be, with what is said of each; None for any text."""
        if self.target is not None and self.target.is_enum:
            return [(word_of(self.target, value), value.comment) for value in self.target.entries]
        if "word" in self.entry.notes:
            return [(word, "") for word in dict.fromkeys(re.findall(r'"([^"]+)"', self.entry.comment))]
        return None

    @property
    def kind(self):
        """The type of a value."""
        if self.is_date or self.words:
            return "string"
        if self.name in ("budget_s", "expected_s"):
            return "number"
        return SCALARS[self.type]

    @property
    def unit(self):
        """By the end of its name, or in brackets before its comment."""
        if self.object not in (None, "time", "quantity", "interval") or self.object is None and (self.target or self.type not in NUMBERS or self.is_date):
            return None
        by_name = next((unit for unit in UNITS if re.search(rf"(?:^|_){unit.lower()}$", self.name) and self.name != "s"), None)
        return by_name or next((note for note in self.entry.notes if not NOTE.fullmatch(note)), None)

    @property
    def text(self):
        """Its words: an absent value is null in JSON, an absent object one of nulls."""
        text = self.entry.comment
        for note in self.entry.notes:
            if note.startswith("bits "):
                bits = proto.find(self.book.messages, note.removeprefix("bits "), self.message).entries
                text += ". Its bits: " + listed([f"{bit.number} ({bit.comment})" for bit in bits], "and")
        if self.object and not self.nullable and not self.repeated:
            return re.sub(r"\babsent\b", "fields null", text)
        return re.sub(r"\b(A|a)bsent\b", lambda found: "Null" if found[1] == "A" else "null", text)


class Book:
    """All messages, and the documents that they make."""

    def __init__(self, paths):
        self.messages = proto.read(*paths)
        self.own = set(proto.read(paths[-1]))

    def fields(self, message):
        found = []
        for entry in message.entries:
            if (message.name, entry.name) in MERGED:
                continue
            found.append(Field(self, message, entry))
            if message.name in ADDED and ADDED[message.name][0] == entry.name:
                _, name, label, kind, comment = ADDED[message.name]
                found.append(Field(self, message, proto.Entry(name, comment=comment, label=label, type=kind)))
        return found

    def reachable(self, *roots):
        """The messages that @roots and what they hold consist of, each before those that it holds."""
        found = []

        def visit(message):
            if message not in found:
                found.append(message)
                for field in self.fields(message):
                    if field.object:
                        visit(field.target)

        for root in roots:
            visit(self.messages[root])
        return found


# ---- the JSON Schema

class Schema:
    def __init__(self, book, root, brief):
        self.book, self.root, self.brief = book, root, brief

    def reference(self, field):
        if field.target.name == "RunResult" and self.root != "RunResult":
            return "run-result.schema.json"
        foreign = self.root == "FleetResult" and field.target.name not in self.book.own
        return f"{'run-result.schema.json' if foreign else ''}#/$defs/{field.object}"

    def value(self, field):
        """Of one value, or of one in a list."""
        if field.object:
            reference = {"$ref": self.reference(field)}
            return {"oneOf": [{"type": "null"}, reference]} if field.nullable else reference
        if field.words:
            return {"enum": [word for word, _ in field.words] + ([] if field.required else [None])}
        made = {"type": field.kind if field.required or field.repeated else [field.kind, "null"]}
        if field.is_date:
            made["format"] = "date-time"
        if field.type.startswith("uint") and not field.is_date or field.unit == "share" or "0.." in field.entry.notes:
            made["minimum"] = 0
        return made

    def property(self, field):
        made = {"description": plain(field.text)} if field.text else {}
        if field.target is not None and field.target.name in MAPS:
            return {**made, "type": "object", "additionalProperties": {"type": MAPS[field.target.name]}}
        if field.type.startswith("map"):
            return {**made, "type": "object", "additionalProperties": {"type": "string"}}
        if (field.message.name, field.name) == ("Argument", "values"):
            return {**made, "type": "array", "items": {"type": ["number", "string"]}}
        value = self.value(field)
        if "lists" in field.entry.notes:
            value = {"type": "array", "items": value}
        return {**made, "type": "array", "items": value} if field.repeated else {**made, **value}

    def object(self, message, without=()):
        fields = [field for field in self.book.fields(message) if field.name not in without]
        made = {"description": plain(message.comment)} if message.comment else {}
        return {**made, "type": "object", "required": [field.name for field in fields if not field.lacking],
                "properties": {field.name: self.property(field) for field in fields}}

    def definitions(self, roots):
        made = {}
        for message in self.book.reachable(*roots):
            if message.name == self.root or self.root == "FleetResult" and message.name not in self.book.own:
                continue
            made[snake(message.name)] = self.object(message)
            if message.name == "Quantity":
                made["time"] = self.object(message, without=("source",))
        return made

    def part(self, message, picked, where):
        """An object of a few fields of the whole, in their places."""
        properties = {}
        for field in self.book.fields(message):
            if field.name not in picked:
                continue
            inner = picked[field.name]
            if inner and len(inner) == len(self.book.fields(field.target)):
                inner = None
            value = {"$ref": f"{where}/properties/{field.name}"}
            if inner:
                value = self.part(field.target, inner, self.reference(field) if field.object else where)
                value = {"oneOf": [{"type": "null"}, value]} if field.nullable else value
                value = {"type": "array", "items": value} if field.repeated else value
            properties[field.name] = value
        return {"type": "object", "required": list(properties), "additionalProperties": False, "properties": properties}

    def document(self):
        title, description = HEAD[self.root]
        made = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "description": description}
        if self.root == "Answers":
            roots = [field.target.name for field in self.book.fields(self.book.messages["Answers"])]
            return {**made, "$defs": self.definitions(roots)}
        whole = self.object(self.book.messages[self.root])
        whole.pop("description", None)
        brief = self.part(self.book.messages[self.root], self.brief[self.root], "#")
        brief = {"description": "a document by --brief: fields of the whole, in their places", **brief}
        return {**made, **whole, "$defs": {"brief": brief, **self.definitions([self.root])}}


# ---- the objects, as benchd-json(5) tells them

class Objects:
    """Lists of objects by document: each object stands once, with the first document that holds it."""

    def __init__(self, book):
        self.book, self.told, self.told_enums = book, set(), set()

    def kind(self, field):
        if field.target is not None and field.target.name in MAPS or field.type.startswith("map"):
            return "object"
        if (field.message.name, field.name) == ("Argument", "values"):
            return "list"
        kind = field.object or ("word" if field.words else field.kind)
        if field.repeated:
            kind = "list of " + (kind if field.object else kind + "s")
        if "lists" in field.entry.notes:
            kind = "list of lists of " + kind.removeprefix("list of ")
        return f"{kind}, {field.unit}" if field.unit else kind

    def text(self, field):
        text = sentence(field.text)
        if field.words and "word" not in field.entry.notes:
            is_new = field.target not in self.told_enums  # the meanings of its words stand once
            self.told_enums.add(field.target)
            words = [f'"{word}" ({meaning})' if meaning and is_new else f'"{word}"' for word, meaning in field.words]
            text = f"{text} One of {listed(words)}.".strip()
        if not text:
            sys.exit(f"{field.message.name}.{field.entry.name} has no comment, which benchd-json(5) would have")
        return text

    def object(self, message, is_document):
        fields = [{"name": field.name, "kind": self.kind(field), "text": self.text(field)} for field in self.book.fields(message)]
        about = "" if is_document else sentence(message.comment)  # of a document the text around the list says more
        return {"name": snake(message.name), "about": about, "fields": fields}

    def of(self, root):
        found = [message for message in self.book.reachable(root) if message.name not in self.told]
        self.told |= {message.name for message in found}
        made = []
        for message in found:
            made.append(self.object(message, message.name == root))
            if message.name == "Quantity":
                made.append({"name": "time", "about": "The fields of `quantity`, without `source`, in nanoseconds.", "fields": []})
        return made


def brief_text(picked):
    """The fields of a document by --brief, those of an object in parentheses."""
    return ", ".join(f"`{name}`" + (f" ({brief_text(inner)})" if inner else "") for name, inner in picked.items())


def values_of(book):
    """The values of each enumeration, by their names in the protocol."""
    enums = [enum for message in book.messages.values() for enum in message.inner.values()]
    return {f"{enum.parent.name}.{enum.name}": [{"name": value.name, "text": sentence(value.comment)} for value in enum.entries] for enum in enums}


def requests_of(book):
    """The requests with their answers; every reply but an error is named as one."""
    requests = [{"name": field.name, "text": sentence(field.comment)} for field in book.messages["Request"].entries if field.name != "id"]
    told = re.findall(r"`(\w+)`", " ".join(request["text"] for request in requests))
    untold = [field.name for field in book.messages["Reply"].entries if field.name not in {"id", "last", "error", *told}]
    if untold:
        sys.exit(f"benchd.proto: no comment of a request names the answer {listed(untold)}")
    return requests


# ---- what is run

def read_brief(path):
    """The fields of --brief by root: {name: None or those of the object}, from the lists of brief.c."""
    lists = {name: re.findall(r'\{ "(\w+)"(?:, (\w+))? \}', rows)
             for name, rows in re.findall(r"static const BriefField (\w+)\[\] = (\{.*?\{\} \});", pathlib.Path(path).read_text(), re.S)}

    def picked(name):
        return {field: picked(inner) if inner else None for field, inner in lists[name]}

    return {"RunResult": picked("result_fields"), "FleetResult": picked("fleet_fields")}


def main(what, *arguments):
    root, output, brief_path, *protos = arguments if what == "schema" else (None, *arguments)
    book, brief = Book(protos), read_brief(brief_path)
    if root:
        made = Schema(book, root, brief).document()
    else:
        objects = Objects(book)
        roots = ["RunResult", "FleetResult", *(field.target.name for field in book.fields(book.messages["Answers"]))]
        made = {"objects": {name: objects.of(name) for name in roots}, "values": values_of(book), "requests": requests_of(book), "brief": {name: brief_text(picked) for name, picked in brief.items()}}
    pathlib.Path(output).write_text(json.dumps(made, indent=2) + "\n")


main(*sys.argv[1:])
