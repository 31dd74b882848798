/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The order of functions in a relocatable object. Linkers place sections of code in the order of an object's section headers, so an
 * object whose functions have a section each (-ffunction-sections) is linked in any order once its headers are: no linker needs an option
 * for it, of which GNU ld 2.40 has none. Pure.
 */

#include <stddef.h>
#include <stdint.h>

/* The sections with code in the object of @n bytes at @object, 8-byte aligned; 0 if it is no such object (link-time optimisation, broken). */
size_t function_order_count(const void *object, size_t n);

/*
 * Puts these sections in an order drawn from @seed, and has linkers leave out its debug information, which takes most of their time. Returns
 * the number of sections; 0 leaves @object as it is.
 */
size_t function_order_draw(void *object, size_t n, uint64_t seed);

/* The next random number of @state, a seed (SplitMix64: Steele, Lea and Flood, OOPSLA 2014). */
uint64_t function_order_random(uint64_t *state);
