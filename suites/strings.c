/* SPDX-License-Identifier: MIT */

/*
 * strings: the C library's string and memory functions, by length.
 *
 * All operands but the longest copies lie in the first-level cache. A search finds nothing before the end, so it looks
 * at every byte. The first operand begins at a page's start and the second 64 bytes after one, in every process:
 * alignment decides as much as length.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

BENCH_AREA(strings, .about = "string and memory functions of the C library, by length");
BENCH_EMBED_SOURCE;

#define LENGTH_MAX 65536u

static char *first, *second;

/* Both operands become the same string of @n letters from a to y. */
static void operands_make(struct bench *b, size_t n) {
        const size_t room = LENGTH_MAX + 4096;

        first = aligned_alloc(4096, 2 * room);
        if (!first)
                bench_fail(b, "no memory");
        second = first + room + 64;
        for (size_t i = 0; i < n; i++)
                first[i] = second[i] = (char)('a' + i % 25);
        first[n] = second[n] = 0;
}

/* The argument, after both operands of that length were made and the rate was set. */
static size_t operands_prepare(struct bench *b) {
        size_t n = bench_arg(b, 0);

        operands_make(b, n);
        bench_bytes(b, n);
        return n;
}

BENCH(strlen, .args = BENCH_ARGS(bytes, 16, 1024), .about = "limited by vector loads and the branch at the end") {
        const char *s;

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strlen(s));
        }
}

BENCH(memcpy, .args = BENCH_ARGS(bytes, 16, 256, 4096, 65536),
                .about = "limited by one vector store a cycle in the first-level cache, then by the second level") {
        size_t n = operands_prepare(b);

        bench_loop(b) {
                bench_opaque(n);
                memcpy(second, first, n);
                bench_clobber();
        }
}

BENCH(memmove, .args = BENCH_ARGS(bytes, 4096), .about = "to 64 bytes further on: limited by a copy from the end") {
        size_t n = operands_prepare(b);

        bench_loop(b) {
                bench_opaque(n);
                memmove(first + 64, first, n);
                bench_clobber();
        }
}

BENCH(memset, .args = BENCH_ARGS(bytes, 4096), .about = "limited by vector stores") {
        size_t n = operands_prepare(b);

        bench_loop(b) {
                bench_opaque(n);
                memset(first, 'x', n);
                bench_clobber();
        }
}

BENCH(memcmp, .args = BENCH_ARGS(bytes, 4096), .about = "of equal bytes: limited by two vector loads and a compare") {
        size_t n = operands_prepare(b);
        const char *s = first;

        bench_loop(b) {
                bench_opaque(s);
                bench_use(memcmp(s, second, n));
        }
}

BENCH(memchr, .args = BENCH_ARGS(bytes, 4096), .about = "of an absent byte: limited by vector loads and compares") {
        size_t n = operands_prepare(b);
        const char *s = first;

        bench_loop(b) {
                bench_opaque(s);
                bench_use(memchr(s, 'z', n));
        }
}

BENCH(strcmp, .args = BENCH_ARGS(bytes, 8, 1024),
                .about = "of equal strings: limited by two vector loads, a compare and a search for the end") {
        const char *s;

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strcmp(s, second));
        }
}

BENCH(strcasecmp, .args = BENCH_ARGS(bytes, 64),
                .about = "of equal strings: limited by folding letters to lower case, in vectors in the C locale") {
        const char *s;

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strcasecmp(s, second));
        }
}

BENCH(strchr, .args = BENCH_ARGS(bytes, 1024), .about = "of an absent letter: limited by two compares for each load") {
        const char *s;

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                bench_use(strchr(s, 'z'));
        }
}

BENCH(strstr, .args = BENCH_ARGS(bytes, 1024),
                .about = "of four absent letters: limited by the search for their first two") {
        const char *s;
        const char *needle = "wxyz";

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                bench_opaque(needle);
                bench_use(strstr(s, needle));
        }
}

BENCH(strspn, .args = BENCH_ARGS(bytes, 64),
                .about = "of letters in a set of 25: limited by its table, made anew in each call, and one load a letter") {
        const char *s;
        const char *set = "abcdefghijklmnopqrstuvwxy";

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                bench_opaque(set);
                bench_use(strspn(s, set));
        }
}

BENCH(strcpy, .args = BENCH_ARGS(bytes, 64, 1024), .about = "limited by the search for the end beside the copy") {
        const char *s;

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                strcpy(second, s);
                bench_clobber();
        }
}

BENCH(strcat, .args = BENCH_ARGS(bytes, 64),
                .about = "to an empty string, emptied each time: limited as strcpy, after a search") {
        const char *s;

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                bench_opaque(s);
                second[0] = 0;
                bench_clobber();
                strcat(second, s);
                bench_clobber();
        }
}

BENCH(strdup_free, .args = BENCH_ARGS(bytes, 64),
                .about = "limited by strlen, malloc, memcpy and free one after another") {
        const char *s;

        operands_prepare(b);
        s = first;
        bench_loop(b) {
                char *copy;

                bench_opaque(s);
                copy = strdup(s);
                bench_opaque(copy);
                free(copy);
        }
}

BENCH(strtok_r, .ops = 16,
                .about = "16 words of 7 letters, copied anew: limited by two searches a word, strspn and strcspn") {
        operands_make(b, 128);
        for (size_t i = 0; i < 128; i++)
                first[i] = i % 8 == 7 ? ' ' : 'w';
        first[128] = 0;
        bench_loop(b) {
                char *rest;

                memcpy(second, first, 129);
                for (char *word = strtok_r(second, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
                        bench_use(word);
        }
}
