# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the machine code of a timed loop out of a module.

An iteration is a way round: the instructions from which one gets back to themselves without a call. So the calls are
taken out of the function's flow graph, and what can still reach itself is the loop. A loop that calls something in each
iteration has no such part, and is found out by that.
"""

import re
import subprocess

FUSES = re.compile(r'^(test|cmp|add|sub|and|inc|dec)[bwlq]?$')
JUMP = re.compile(r'^j[a-z]+$')


class Instruction:
    def __init__(self, address, text):
        self.address = address
        self.mnemonic, _, self.operands = re.sub(r'^(?:(?:data16|cs|notrack|bnd) )+', '', text).partition(' ')
        self.operands = self.operands.strip()

    def __repr__(self):
        return f'{self.address:x}: {self.mnemonic} {self.operands}'

    @property
    def is_call(self):
        return self.mnemonic.startswith('call')

    @property
    def is_branch(self):
        return bool(JUMP.match(self.mnemonic))

    @property
    def touches_memory(self):
        if self.is_branch or self.mnemonic.startswith(('lea', 'nop')):
            return False
        return '(' in self.operands or '%fs:' in self.operands or '%gs:' in self.operands \
            or self.mnemonic.startswith(('push', 'pop', 'movs', 'stos', 'lods')) and 'd' not in self.mnemonic[4:]


def function(module, name):
    """The instructions of the body of benchmark @name, in the order of their addresses."""
    text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', module], check=True, capture_output=True,
                          text=True).stdout
    blocks = re.findall(r'^[0-9a-f]+ <([^>]+)>:\n((?:\s+[0-9a-f]+:.*\n)+)', text, re.M)
    wanted = re.compile(rf'^(?:_ZL\d+)?bench_(?:body|run)_{name}(?:P5bench)?$')
    found = {symbol: body for symbol, body in blocks if wanted.match(symbol)}
    assert found, f'{module} has no function for {name}'
    body = max(found.values(), key=len)  # C++: the caller, when the body was inlined into it
    lines = re.findall(r'^\s+([0-9a-f]+):\s+(\S.*)$', body, re.M)
    return [Instruction(int(address, 16), code.split('#')[0].strip()) for address, code in lines]


def flow(instructions):
    """Where each instruction may go next, calls left out."""
    known = {i.address: i for i in instructions if not i.is_call}
    edges = {address: set() for address in known}
    for here, after in zip(instructions, instructions[1:] + [None]):
        if here.is_call or here.mnemonic.startswith(('ret', 'ud2', 'hlt')):
            continue
        targets = set()
        if here.is_branch:
            target = re.match(r'^([0-9a-f]+)\b', here.operands)
            targets |= {int(target[1], 16)} if target else set()
        if here.mnemonic != 'jmp' and after:
            targets.add(after.address)
        edges[here.address] = targets & known.keys()
    return edges


def reachable(edges, start):
    seen, todo = set(), list(edges[start])
    while todo:
        address = todo.pop()
        if address not in seen:
            seen.add(address)
            todo.extend(edges[address])
    return seen


def iterations(instructions):
    """The loops that go round without a call: a list of lists of instructions."""
    edges = flow(instructions)
    reach = {address: reachable(edges, address) for address in edges}
    loops, seen = [], set()
    for address in sorted(edges):
        if address in seen or address not in reach[address]:
            continue
        members = {other for other in reach[address] if address in reach[other]}
        seen |= members
        loops.append([i for i in instructions if i.address in members])
    return loops


def unfused(instructions, loop):
    """Conditional branches of @loop that do not follow an instruction they fuse with."""
    before = {after.address: here for here, after in zip(instructions, instructions[1:])}
    return [i for i in loop if i.is_branch and i.mnemonic != 'jmp' and not FUSES.match(before[i.address].mnemonic)]
