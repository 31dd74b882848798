/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One file of a request, a module, a library or an input: its name, and its bytes in a sealed memfd.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct ModuleFile {
        char *name;   /* of a library: the name by which other files need it; of the module: its path as given */
        char *soname; /* NULL: none */
        char *path;   /* the path that was read; NULL: an input */
        int fd;       /* -1: none */
        size_t size;
        dev_t device; /* of the file that was read */
        ino_t inode;
        bool needed;    /* by its name */
        size_t preload; /* its position among the preloaded files, from 1; 0: not preloaded */
} ModuleFile;

/*
 * Reads the file at @path, or a pipe to its end, and names it after the path. Returns 0, BENCHD_E_EMPTY, BENCHD_E_TOO_LARGE, or a negative
 * errno.
 */
int module_file_read(const char *path, ModuleFile *ret_file);

/* The same for an input, with any contents: not a pipe, without a SONAME, and not identified by its inode. */
int module_file_read_input(const char *path, ModuleFile *ret_file);
void module_file_clear(ModuleFile *file);

/* Renames @file to @name, cut to the length that a name may have. Returns 0 or a negative errno. */
int module_file_rename(ModuleFile *file, const char *name);

/* Names @file after the @path that was read, or the end of a long one. Returns 0 or a negative errno. */
int module_file_name_after(ModuleFile *file, const char *path);

/* The bytes of a file, mapped for reading. */
typedef struct ModuleMapping {
        void *data;
        size_t n_data; /* 0: nothing is mapped */
} ModuleMapping;

/* Maps @file. Returns 0 or a negative errno. */
int module_file_map(const ModuleFile *file, ModuleMapping *ret_mapping);
void module_mapping_clear(ModuleMapping *mapping);
