/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Source code given as a module: compiled by the user's compiler into the user's cache. Several sources are compiled one by one, each by
 * the compiler of its language, and linked with any given objects and archives to one module.
 *
 * Everything is compiled each time, because a header may have changed: a typical benchmark takes less than a tenth of a second. The result
 * is renamed into place when it is complete, so concurrent commands do not disturb each other.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct ModuleParts ModuleParts;

/*
 * A module that is linked several times, with its functions in another order each time (util/module-links.h): their places relative to each
 * other decide on some per cent of the time of equal code. Objects are drawn from as they come; archives stay.
 */
typedef struct CompileLinks {
        uint32_t n; /* 1 or more, at most MODULE_LINKS_MAX; fewer where they would take too much memory */
        uint64_t seed;
        unsigned side; /* of a comparison: each has its own orders, and its own file, even where both are of one source */
} CompileLinks;

/*
 * True if the name of @path is that of C, C++ or assembler source, an object or an archive, and the file is not a compiled module in spite
 * of it.
 */
bool compile_takes(const char *path);

/* True if @path is C or C++ source. */
bool compile_is_source(const char *path);

/*
 * Builds the module from @parts, which must all pass compile_takes(), with @links (NULL: linked once), and shows the commands on stderr. A
 * module has one link all the same where there is nothing to put in another order: a single function, or code that the linker makes
 * (link-time optimisation). @name is the module's name in messages. The caller frees @ret_module, the module's path. Returns 0, or an exit
 * code after printing the error.
 */
int compile_module(const ModuleParts *parts, const char *name, const CompileLinks *links, char **ret_module);
