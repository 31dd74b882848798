/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Values of files in /proc and /sys: files that benchd changes, files that may be missing, and when two texts mean the same.
 *
 * For a file that benchd changes, the value that was last written is read. Some files show the value in force instead; then
 * the kernel has the written one in another file, which is read.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RootDir RootDir;

/* Reads the first line into @value. Returns what root_dir_read_line() does. */
int file_value_read(RootDir *root, const char *path, char *value, size_t n_value);

/*
 * Writes @value. The kernel takes over a limit of cpufreq only after the write, so this waits for it, but at most 0.2
 * s: a clamped value never reads as it was written. Returns what root_dir_write() does.
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
 * True if @a and @b mean the same as @kind; texts that are not of this kind, only if they are equal. The kernel writes "0-3" where "0,1,2,3"
 * was written, and "00000001" where "1" was.
 */
bool file_value_equal(FileValueKind kind, const char *a, const char *b);

/* Values of /proc and /sys that may be missing: a missing one reads as empty or 0. */

/* Reads the first line of the file at @path into @text. Returns 0 or a negative errno. */
int file_value_read_text(RootDir *root, const char *path, char *text, size_t n_text);

/*
 * Reads the set of CPUs in the file, separated by commas or blanks; text that is not a set, such as "(null)", is empty.
 */
int file_value_read_set(RootDir *root, const char *path, cpu_set_t *ret_set);

/* Reads the number in the file; a negative one reads as 0. */
int file_value_read_number(RootDir *root, const char *path, unsigned *ret_number);

/*
 * True if @path below @root is a file of a CPU that is switched off. The files of that CPU, and of the policy named after it, can be
 * neither read nor written then; their values return with the CPU.
 */
bool file_value_cpu_is_off(RootDir *root, const char *path);
