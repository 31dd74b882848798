/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Work of many functions in several files, whose time hangs on where a linker puts them. */

#include <stddef.h>
#include <stdint.h>

/* Runs a program of @n bytes on one number, a function for each of 16 instructions. */
uint64_t order_interpret(const uint8_t *program, size_t n, uint64_t number);

/* Sorts @n numbers, by a comparison of another file. */
void order_sort(uint32_t *numbers, size_t n);
int order_compare(const uint32_t *a, const uint32_t *b);

/* Mixes @n bytes, by one of four functions for each word. */
uint64_t order_mix(const uint64_t *words, size_t n);
