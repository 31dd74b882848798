/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A module in C alone, with the names that image-module.cc has.
 */

#include <stdlib.h>
#include <string.h>

unsigned image_checks(void);

static int twice(int n) {
        return 2 * n;
}

static int (*volatile const functions[])(int) = { twice, abs };
static const char *volatile names[] = { "none", "some" };
static __thread int of_thread = 7;
static int constructed;

__attribute__((visibility("default"))) int image_variable = 9;

__attribute__((constructor)) static void construct(void) {
        constructed = 41;
}

__attribute__((visibility("default"))) unsigned image_checks(void) {
        unsigned right = constructed == 41 && of_thread == 7 && functions[0](4) == 8 && functions[1](-4) == 4 &&
                         strcmp(names[1], "some") == 0 && image_variable == 9;

        return right ? 0x1ff : 0;
}
