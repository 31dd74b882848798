/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Facts of a machine in words: each prints the value at @path of @json, or nothing if there is none.
 */

#include <stdio.h>

typedef struct json_t json_t;

/* "family 25, model 33, stepping 2", of a processor */
void machine_words_model(const json_t *json, const char *path, FILE *out);

/* "L1 data 32 KiB, L2 512 KiB" */
void machine_words_caches(const json_t *json, const char *path, FILE *out);

/* "16" */
void machine_words_count(const json_t *json, const char *path, FILE *out);

/* "31.9 GiB" */
void machine_words_memory(const json_t *json, const char *path, FILE *out);
