/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Values of files of /proc and /sys: of those that benchd changes, of those that may be missing, and when two texts mean the same.
 *
 * The value of a file that benchd changes is read as it was last written: where the kernel shows what is in force instead, it has
 * the other in a file beside it, and that one is read.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RootDir RootDir;

/* Reads the first line into @value. Returns what root_dir_read_line() does. */
int file_value_read(RootDir *root, const char *path, char *value, size_t n_value);

/*
 * Writes @value. A limit of cpufreq, which the kernel takes over only after the write, is waited for: 0.2 s, since a
 * value that the kernel clamps never reads as it was written. Returns what root_dir_write() does.
 */
int file_value_write(RootDir *root, const char *path, const char *value);

#define FILE_VALUE_MAX 320u /* bytes with the end: a mask of 1024 CPUs is the longest */

typedef enum FileValueKind {
        FILE_VALUE_WORD = 1,
        FILE_VALUE_NUMBER, /* decimal or 0x… */
        FILE_VALUE_LIST,   /* of CPUs, "0-3,7" */
        FILE_VALUE_MASK,   /* of CPUs, "ff,00000001" */
} FileValueKind;

/*
 * True if @a and @b mean the same as @kind; texts that are no such thing, only if they are equal. The kernel writes "0-3" where "0,1,2,3" was
 * written, and "00000001" where "1" was.
 */
bool file_value_equal(FileValueKind kind, const char *a, const char *b);

/* Values of /proc and /sys that may be missing: what the machine does not tell reads as empty or 0. */

/* The first line of the file at @path into @text. Returns 0 or a negative errno. */
int file_value_read_text(RootDir *root, const char *path, char *text, size_t n_text);

/* The set of CPUs in it, separated by commas or blanks; text that is no set, as "(null)", is empty. */
int file_value_read_set(RootDir *root, const char *path, cpu_set_t *ret_set);

/* The number in it; 0 for a negative one too. */
int file_value_read_number(RootDir *root, const char *path, unsigned *ret_number);

/*
 * True if @path below @root is a file of a CPU that is switched off. The files of a CPU, and of the policy that is named after one, can be
 * neither read nor written then; their values come back with it.
 */
bool file_value_cpu_is_off(RootDir *root, const char *path);
