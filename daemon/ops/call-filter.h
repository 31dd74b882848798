/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Call filter: from here on a daemon may make only the system calls that it needs (seccomp). Each of the two installs one when all is
 * open that takes more: the launcher once the zygote is forked, from which runners descend without a filter. The receivers of both have
 * a short one of their own.
 *
 * Any other call fails with EPERM and is noted in the kernel's log; the daemon is not killed. The call is not made either way, and one
 * that a library's rare path was missing then costs that path, not the jobs of all users. A call that is newer than this list fails
 * with ENOSYS, as on an older kernel, so that a newer libc falls back to one that it knows.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 where the sanitizers are built in, whose search for leaks needs calls of its own. */
#ifdef __SANITIZE_ADDRESS__
# define CALL_FILTER_SANITIZED 1
#elif defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define CALL_FILTER_SANITIZED 1
# endif
#endif
#ifndef CALL_FILTER_SANITIZED
# define CALL_FILTER_SANITIZED 0
#endif

/* The fate of a call that is not listed. */
typedef enum CallFilterMode {
        CALL_FILTER_REFUSE, /* it fails */
        CALL_FILTER_TRAP,   /* the daemon names it and ends, for tests */
        CALL_FILTER_OFF,    /* every call is made */
} CallFilterMode;

/* A call, or where @mask is not 0 only such as have @value in those bits of the argument; several rows may be of one call. */
typedef struct CallRule {
        int number;
        unsigned argument; /* from 0 */
        uint32_t mask;
        uint32_t value;
} CallRule;

/*
 * Limits this process, and what it forks, to the @rules and to those that every process with an event loop needs. Returns 0 or a
 * negative errno.
 */
int call_filter_install(const CallRule *rules, size_t n_rules, CallFilterMode mode);

/*
 * Limits it to the @rules alone, and, where a filter is installed already, to those of them that this one has too. With the sanitizers built
 * in, it is as above. Returns 0 or a negative errno.
 */
int call_filter_install_only(const CallRule *rules, size_t n_rules, CallFilterMode mode);

/* Reads the word of a CallFilterMode, as an option's value (util/program-options.h). Returns NULL, or a complaint. */
const char *call_filter_take(const char *word, void *mode);
