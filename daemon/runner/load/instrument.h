/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Instruments that measure along with benchd: a library that was preloaded into the process, variables that load one into the programs
 * that a body starts, and a module that was compiled for a profiler, for coverage or for a sanitizer. The last is told by the symbols
 * of its files: one that was stripped keeps those that are dynamic.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct SampleInstruments SampleInstruments;

/* The bit (INSTRUMENT_*) of symbol @name; 0 where it is of no instrument. */
uint32_t instrument_of_symbol(const char *name);

/* Tells whether @path is of an object that is in every runner: the loader, libc, the kernel's, the runner itself. */
bool instrument_is_own_object(const char *path);

/* Finds what was loaded along with the runner. Before any module is loaded. */
void instrument_find_preloaded(SampleInstruments *told);

/* Finds what the environment asks for. */
void instrument_find_variables(SampleInstruments *told);

/* Finds what the ELF file at @fd was compiled for. */
void instrument_find_in_file(int fd, SampleInstruments *told);
