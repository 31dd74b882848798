/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The error law.
 *
 * A fallible function returns an int:
 *
 *   0                 it is done; out-parameters are written
 *   negative errno    fatal to the operation; the caller only forwards it, it never looks which one it is
 *   positive X_E_*    an outcome that the function's header documents; the direct caller must handle it
 *
 * Out-parameters are written only on success. Three wrappers carry the codes upwards: error_origin() where a failed
 * system call becomes a negative errno, error_trace() where one is forwarded, and error_fold() where a positive outcome
 * that cannot happen here is turned into a fatal one. Each notes its place through the sink, if a program set one, so
 * that a failure leaves a trace and a success costs nothing. (The law is that of dbus-broker.)
 */

#include <errno.h>

typedef void (*ErrorSink)(int error, const char *file, int line, const char *function);

/* Sets the function that is called at each place an error passes; NULL (as at start): none. A library never sets it. */
void error_set_sink(ErrorSink sink);

/* A sink that writes one line to stderr. */
void error_print(int error, const char *file, int line, const char *function);

/* Tells the sink, if there is one, that the negative code @error passes. */
void error_note(int error, const char *file, int line, const char *function);

/*
 * Both are inline so that the compiler of a caller sees that a code other than 0 is still one: out-parameters that a failure
 * left unwritten are then known not to be read.
 */
static inline int error_pass(int r, const char *file, int line, const char *function) {
        if (r < 0)
                error_note(r, file, line, function);
        return r;
}

/* The -errno of a call that failed: itself, and an error also if the call left errno at 0. */
static inline int error_negative(int r) {
        return r < 0 ? r : -ENOTRECOVERABLE;
}

/* Raises: @r is a negative errno fresh from the system. */
#define error_origin(r) error_pass(error_negative(r), __FILE__, __LINE__, __func__)

/* Forwards: @r is what a callee returned. */
#define error_trace(r) error_pass((r), __FILE__, __LINE__, __func__)

/* Folds: an outcome that the caller ruled out is its own error; a negative one is forwarded. */
#define error_fold(r) error_pass((r) > 0 ? -ENOTRECOVERABLE : (r), __FILE__, __LINE__, __func__)
