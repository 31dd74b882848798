# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the machine code of a timed loop out of a module.

An iteration is a way round: the instructions from which one gets back to themselves without a call. So the calls are
taken out of the function's flow graph, and what can still reach itself is the loop. A loop that calls something in each
iteration has no such part, and is found out by that.
"""

import functools
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


@functools.lru_cache(maxsize=2)
def disassembly(module):
    """The functions of a module as (address, symbol, instructions in the order of their addresses)."""
    text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', module], check=True, capture_output=True,
                          text=True).stdout
    blocks = re.findall(r'^([0-9a-f]+) <([^>]+)>:\n((?:\s+[0-9a-f]+:.*\n)+)', text, re.M)
    return [(int(start, 16), symbol, [Instruction(int(address, 16), code.split('#')[0].strip())
                                      for address, code in re.findall(r'^\s+([0-9a-f]+):\s+(\S.*)$', body, re.M)])
            for start, symbol, body in blocks]


def function(module, name):
    """The instructions of the body of benchmark @name."""
    found = [body for _, symbol, body in disassembly(module) if re.match(body_symbol(name), symbol)]
    assert found, f'{module} has no function for {name}'
    return max(found, key=len)  # C++: the caller, when the body was inlined into it


def body_symbol(name):
    """The symbols that a compiler may give to the body of benchmark @name, as a regular expression."""
    return rf'^(?:_ZL\d+)?bench_(?:body|run)_({name})(?:P5bench)?$'


def flow(instructions, over_calls=False):
    """Where each instruction may go next; calls are left out, or return."""
    known = {i.address: i for i in instructions if over_calls or not i.is_call}
    edges = {address: set() for address in known}
    for here, after in zip(instructions, instructions[1:] + [None]):
        if here.address not in known or here.mnemonic.startswith(('ret', 'ud2', 'hlt')):
            continue
        targets = set(known) if here.mnemonic == 'jmp' and here.operands.startswith('*') else set()
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


def timed_loop(instructions):
    """The loop that is timed, with its calls: the longest that calls by pointer, as it does for the next batch. A jump by a table may
    go anywhere."""
    edges = flow(instructions, over_calls=True)
    back = {address: set() for address in edges}
    for address, targets in edges.items():
        for target in targets:
            back[target].add(address)
    loops = [reachable(edges, i.address) & reachable(back, i.address)
             for i in instructions if i.is_call and i.operands.startswith('*')]
    longest = max(loops, key=len, default=())
    return [i for i in instructions if i.address in longest]


def unfused(instructions, loop):
    """Conditional branches of @loop that do not follow an instruction they fuse with."""
    before = {after.address: here for here, after in zip(instructions, instructions[1:])}
    return [i for i in loop if i.is_branch and i.mnemonic != 'jmp' and not FUSES.match(before[i.address].mnemonic)]
