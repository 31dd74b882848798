/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Prepared inputs (bench_inputs): memory for the inputs of a batch, filled before each batch and dropped after it.
 * Together they take at most half of the second-level cache, so that preparing the last does not evict the first.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/block.h"

struct bench;
struct bench_inputs_wish;

typedef struct Inputs Inputs;

/* Makes the room that @wish asks for. Returns 0 or a negative errno. */
int inputs_new(const struct bench_inputs_wish *wish, Inputs **ret_inputs);
Inputs *inputs_free(Inputs *inputs);

/* The most inputs that are prepared at once, 1 or more. */
uint32_t inputs_max(const Inputs *inputs);

/* Fills @n inputs, at most inputs_max(), and passes the first to @b. */
void inputs_fill(const Inputs *inputs, struct bench *b, uint64_t n);
void inputs_drop(const Inputs *inputs, uint64_t n);

/* True if more inputs were taken through @b than the @n that were filled. */
bool inputs_are_overdrawn(const Inputs *inputs, const struct bench *b, uint64_t n);

/*
 * Input files: names in the working directory under which a body opens files that the client sent. Each is a symbolic link to the
 * descriptor of a sealed memfd: nothing is copied, however many processes there are, and no process can change it.
 */

/* Makes the link @name to @fd in the working directory. False: errno says why. */
bool input_file_link(int fd, const char *name);

/*
 * Makes the links for the inputs of @plan, whose descriptors begin with @fd. False, with an end in @head, if one cannot
 * be made.
 */
bool input_files_link(const RunnerPlan *plan, int fd, BlockHead *head);
