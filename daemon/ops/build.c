/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/build.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "build-text.h"

_Static_assert(sizeof BUILD_TEXT <= BUILD_TEXT_MAX, "a build holds its text");

/* Volatile, so that it is complete in the file of every program that uses a part of it, for build_find(). */
static const volatile Build own = { .mark = "benchd build: ", .text = BUILD_TEXT };

Build build_own(void) {
        return own;
}

const char *build_text(void) {
        return (const char *)own.text;
}

int build_judge(const Build *build, char ret_text[static BUILD_TEXT_MAX]) {
        const Build mine = own;
        size_t n = 0;

        while (n < BUILD_TEXT_MAX - 1 && isprint((unsigned char)build->text[n]))
                n++;
        if (memcmp(build->mark, mine.mark, sizeof mine.mark) != 0 || build->text[n] || n == 0 ||
                        build->text[n - 1] != ')')
                n = 0;
        memcpy(ret_text, build->text, n);
        ret_text[n] = '\0';
        return strcmp(ret_text, mine.text) == 0 ? 0 : BUILD_E_OTHER;
}

/* A compiler may put copies of the mark before the build. */
int build_find(const void *program, size_t n_program, char ret_text[static BUILD_TEXT_MAX]) {
        const char *at = program, *const end = at + n_program;
        const Build mine = own;
        Build build;

        ret_text[0] = '\0';
        for (; (at = memmem(at, end - at, mine.mark, sizeof mine.mark)) && end - at >= (ptrdiff_t)sizeof build; at++) {
                int r;

                memcpy(&build, at, sizeof build);
                r = build_judge(&build, ret_text);
                if (ret_text[0])
                        return r;
        }
        return BUILD_E_OTHER;
}

void build_complain(const char *own_name, const char *other, const char *text, char ret_words[static BUILD_WORDS_MAX]) {
        snprintf(ret_words, BUILD_WORDS_MAX,
                        "%s is of another build, %s, than this %s, %s: they do not understand each other", other,
                        *text ? text : "one that does not tell its version", own_name, build_text());
}
