/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Scope-bound ownership: a variable marked _cleanup_(xp) calls xp(&variable) when it goes out of scope. Functions that
 * succeed return their object with take_pointer() or fd_take(), which leaves nothing to clean up.
 */

#include <stdlib.h>

#define _cleanup_(function) __attribute__((cleanup(function)))

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the value of @pointer, and leaves NULL. */
#define take_pointer(pointer)                                                                                          \
 ({                                                                                                                    \
__typeof__(pointer) *_p = &(pointer);                                                                                       \
__typeof__(pointer) _taken = *_p;                                                                                           \
*_p = NULL;                                                                                                                 \
_taken;                                                                                                                     \
 })

/* Defines typep() for a destructor that takes a pointer, accepts NULL and returns NULL. */
#define DEFINE_CLEANUP(type, function)                                                                                 \
 static inline __attribute__((unused)) void function##p(type *object) {                                                \
  if (*object)                                                                                                         \
   function(*object);                                                                                                  \
 }

static inline void freep(void *pointer) {
        free(*(void **)pointer);
}
