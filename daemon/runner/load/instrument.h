/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Instruments that measure along with benchd: a library that was preloaded into the process, variables that load one into programs
 * that a body starts, and a module that was compiled for a profiler, for coverage or for a sanitizer. The last is recognised by the
 * symbols of its files: a stripped file still has its dynamic ones.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct SampleInstruments SampleInstruments;

/* The bit (INSTRUMENT_*) of symbol @name; 0 if it belongs to no instrument. */
uint32_t instrument_of_symbol(const char *name);

/* True if @path is of an object in every runner: the loader, libc, the vDSO, the runner itself. */
bool instrument_is_own_object(const char *path);

/* Finds libraries that were loaded along with the runner. Call it before any module is loaded. */
void instrument_find_preloaded(SampleInstruments *told);

/* Finds instruments in the environment. */
void instrument_find_variables(SampleInstruments *told);

/* Finds instruments that the ELF file at @fd was compiled with. */
void instrument_find_in_file(int fd, SampleInstruments *told);
