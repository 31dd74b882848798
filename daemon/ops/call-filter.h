/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Call filter: limits a daemon to the system calls that it needs (seccomp). Each of the two daemons installs one after everything is
 * open that needs more: the launcher after forking the zygote, so that runners have no filter. The receivers of both have a short one.
 *
 * Any other call fails with EPERM and is noted in the kernel's log. The daemon is not killed: the call is not made either way, and a
 * call missing from the list for a rare path of a library then breaks that path, not the jobs of all users. A call that is newer than
 * this list fails with ENOSYS, as on an older kernel, so that a newer libc falls back to an older call.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 in builds with sanitizers, whose leak check needs further calls. */
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

/* The reaction to a call that is not listed. */
typedef enum CallFilterMode {
        CALL_FILTER_REFUSE, /* it fails */
        CALL_FILTER_TRAP,   /* the daemon reports it and ends, for tests */
        CALL_FILTER_OFF,    /* no filter */
} CallFilterMode;

/* Allows a call; if @mask is not 0, only with @value in those bits of the argument. A call may have several rows. */
typedef struct CallRule {
        int number;
        unsigned argument; /* from 0 */
        uint32_t mask;
        uint32_t value;
} CallRule;

/*
 * Limits this process and its forks to the @rules and to the calls that every process with an event loop needs. Returns 0 or a
 * negative errno.
 */
int call_filter_install(const CallRule *rules, size_t n_rules, CallFilterMode mode);

/*
 * Limits this process to the @rules alone; if a filter is already installed, both apply. With sanitizers it does the same as
 * call_filter_install(). Returns 0 or a negative errno.
 */
int call_filter_install_only(const CallRule *rules, size_t n_rules, CallFilterMode mode);

/*
 * Reads the name of a CallFilterMode, as an option's value (util/program-options.h). Returns NULL, or an error message.
 */
const char *call_filter_take(const char *word, void *mode);
