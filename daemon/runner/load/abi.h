/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The contract of benchd/bench.h as the runner keeps it: which modules it takes, and that one which was compiled with
 * an earlier header of the same ABI looks as if it had been with this one. Fields that its structs do not have yet are
 * zero, which everywhere means "not given".
 */

#include <stddef.h>

#include "ops/block.h"

struct bench_module;

/*
 * The tables of a module with every struct as large as this runner's: @tables themselves where they are, else copies that
 * live as long as the process. NULL, with an end in @head, where they are of another ABI, a later revision, or damaged.
 */
const struct bench_module *abi_adopt(const struct bench_module *tables, BlockHead *head);

/*
 * Copies @n structs, each of which begins with its size as a uint32_t, to structs of @size bytes: cut there, or zero behind
 * their end. NULL where there is no memory; one free() is for all.
 */
void **abi_widen(const void *const *from, size_t n, size_t size);
