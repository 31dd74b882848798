/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The runner's part of the contract of benchd/bench.h: which modules it accepts, and how a module that was compiled
 * with an earlier header of the same ABI looks like one compiled with this header. Fields that its structs lack are
 * zero, which always means "not given".
 */

#include <stddef.h>

#include "ops/block.h"

struct bench_module;

/*
 * Returns the tables of a module with all structs as large as this runner's: @tables itself if they are, else copies
 * that live as long as the process. NULL, with an end in @head, if they are of another ABI, a later revision, or
 * damaged.
 */
const struct bench_module *abi_adopt(const struct bench_module *tables, BlockHead *head);

/*
 * Copies @n structs, each of which begins with its size as a uint32_t, to structs of @size bytes: cut there, or
 * zero-filled. NULL if there is no memory; one free() frees all.
 */
void **abi_widen(const void *const *from, size_t n, size_t size);
