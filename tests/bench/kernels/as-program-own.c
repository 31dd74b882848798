/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * An allocator and a strnlen() of the module's own, which take libc's place in a program. The allocator keeps a list of freed blocks for each
 * power of two, in memory that it never gives back.
 */

#include <benchd/bench.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED    __attribute__((visibility("default")))
#define ARENA_BYTES (64u << 20)
#define HEAD_BYTES  16u /* before each block, and its alignment */
#define CLASSES     32u
#define BLOCKS      64
#define BLOCK_BYTES 48u
#define TEXT_LENGTH 1000

typedef struct Block Block;

struct Block {
        size_t class; /* the block has 2 to the power of it bytes, with this head */
        Block *next;  /* where it is free */
};

static _Alignas(HEAD_BYTES) char arena[ARENA_BYTES];
static size_t arena_used;
static Block *freed[CLASSES];

static size_t class_of(size_t bytes) {
        return 64 - (size_t)__builtin_clzl((bytes + HEAD_BYTES - 1) | (2 * HEAD_BYTES - 1));
}

EXPORTED void *malloc(size_t bytes) {
        Block *block;
        size_t class;

        if (bytes > ARENA_BYTES / 2) {
                errno = ENOMEM;
                return NULL;
        }
        class = class_of(bytes);
        block = freed[class];
        if (block) {
                freed[class] = block->next;
        } else if (ARENA_BYTES - arena_used >= (size_t)1 << class) {
                block = (Block *)(void *)(arena + arena_used);
                arena_used += (size_t)1 << class;
                block->class = class;
        } else {
                errno = ENOMEM;
                return NULL;
        }
        return (char *)block + HEAD_BYTES;
}

EXPORTED void free(void *memory) {
        Block *block = (Block *)(void *)((char *)memory - HEAD_BYTES);

        if (!memory)
                return;
        block->next = freed[block->class];
        freed[block->class] = block;
}

EXPORTED void *calloc(size_t n, size_t bytes) {
        size_t all;
        void *memory = __builtin_mul_overflow(n, bytes, &all) ? NULL : malloc(all);

        return memory ? memset(memory, 0, all) : NULL;
}

EXPORTED void *realloc(void *memory, size_t bytes) {
        void *moved = malloc(bytes);
        size_t had;

        if (!moved || !memory)
                return moved;
        had = ((size_t)1 << ((Block *)(void *)((char *)memory - HEAD_BYTES))->class) - HEAD_BYTES;
        memcpy(moved, memory, had < bytes ? had : bytes);
        free(memory);
        return moved;
}

/* A byte at a time, so its time is not that of libc's. */
EXPORTED size_t strnlen(const char *text, size_t most) {
        size_t length = 0;

        while (length < most && text[length] != '\0') {
                length++;
                bench_opaque(length);
        }
        return length;
}

BENCH(own_malloc, .area = "as_program", .ops = BLOCKS, .about = "malloc and free of the module, 64 blocks at a time") {
        void *blocks[BLOCKS];

        bench_loop(b) {
                for (size_t i = 0; i < BLOCKS; i++) {
                        blocks[i] = malloc((i + 1) * BLOCK_BYTES);
                        bench_opaque(blocks[i]);
                }
                for (size_t i = 0; i < BLOCKS; i++)
                        free(blocks[i]);
        }
}

BENCH(own_strnlen, .area = "as_program", .about = "strnlen() of the module, 1000 bytes") {
        static char text[TEXT_LENGTH + 1];
        const char *at = text;

        memset(text, 'x', TEXT_LENGTH);
        bench_loop(b) {
                bench_opaque(at);
                bench_use(strnlen(at, TEXT_LENGTH));
        }
}

/* strdup() takes its memory from the allocator of the process, whichever that is. */
BENCH(own_strdup, .area = "as_program", .about = "strdup() of libc, which takes the module's malloc, and free") {
        char text[] = "a text of no great length";

        bench_loop(b) {
                char *copy = strdup(text);

                bench_opaque(copy);
                free(copy);
        }
}
