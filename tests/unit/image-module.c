/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A module in C alone, with the names that image-module.cc has, and something that is aligned to IMAGE_ALIGNMENT, of the kind that its
 * build names. No instruction insists upon it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_VISIBLE __attribute__((visibility("default")))

unsigned image_checks(void);

#if defined IMAGE_ALIGNED_DATA
static _Alignas(IMAGE_ALIGNMENT) int aligned[2] = { 1, 2 };
#elif defined IMAGE_ALIGNED_CONSTANT
static const _Alignas(IMAGE_ALIGNMENT) int aligned[2] = { 1, 2 };
#elif defined IMAGE_ALIGNED_ZEROS
static _Alignas(IMAGE_ALIGNMENT) int aligned[2];
#elif defined IMAGE_ALIGNED_THREAD
static _Thread_local _Alignas(IMAGE_ALIGNMENT) int aligned[2] = { 1, 2 };
#elif defined IMAGE_ALIGNED_TYPE
static struct { int parts[2]; } __attribute__((aligned(IMAGE_ALIGNMENT))) aligned;
#elif defined IMAGE_ALIGNED_FUNCTION
__attribute__((aligned(IMAGE_ALIGNMENT), noinline)) static void aligned(void) {
        __asm__ volatile("");
}
#elif defined IMAGE_ALIGNMENT /* by the compiler */
static int aligned[IMAGE_ALIGNMENT / sizeof(int)];
#endif
#ifdef IMAGE_ALIGNMENT
bool image_is_aligned(void);

IMAGE_VISIBLE bool image_is_aligned(void) {
        const void *place = (const void *)&aligned;

        __asm__("" : "+r"(place)); /* else the compiler knows the answer */
        return (uintptr_t)place % IMAGE_ALIGNMENT == 0;
}
#endif

static int twice(int n) {
        return 2 * n;
}

static int (*volatile const functions[])(int) = { twice, abs };
static const char *volatile names[] = { "none", "some" };
static __thread int of_thread = 7;
static int constructed;

IMAGE_VISIBLE int image_variable = 9;

__attribute__((constructor)) static void construct(void) {
        constructed = 41;
}

IMAGE_VISIBLE unsigned image_checks(void) {
        unsigned right = constructed == 41 && of_thread == 7 && functions[0](4) == 8 && functions[1](-4) == 4 &&
                         strcmp(names[1], "some") == 0 && image_variable == 9;

        return right ? 0x1ff : 0;
}
