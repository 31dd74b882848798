/* SPDX-License-Identifier: MIT */

/*
 * Words for what the library's functions return. Negative ones are the system's, in the words of the C library.
 */

#include <stddef.h>
#include <string.h>

#include "benchd/client.h"
#include "util/cleanup.h"

static const char *const error_strings[] = {
        [BENCHD_E_SUCCESS] = "done",
        [BENCHD_E_NO_DAEMON] = "no daemon listens on the socket",
        [BENCHD_E_ACCESS] = "this user may not open the daemon's socket",
        [BENCHD_E_CLOSED] = "the daemon closed the connection",
        [BENCHD_E_PROTOCOL] = "the daemon sent what it may not send",
        [BENCHD_E_VERSION] = "the daemon speaks another version of the protocol",
        [BENCHD_E_BUSY] = "the daemon serves as many connections as it takes",
        [BENCHD_E_TOO_LARGE] = "larger than the daemon takes",
        [BENCHD_E_EMPTY] = "an empty file",
        [BENCHD_E_LIBRARY] = "a library that the module needs was not found",
        [BENCHD_E_SONAME] = "a library does not carry the name (SONAME) by which it is asked for",
        [BENCHD_E_TOO_MANY] = "more libraries, filters or variables than a request takes",
        [BENCHD_E_BAD_OPTION] = "no such option, or a value that it cannot take",
};

const char *benchd_error_string(int error) {
        const char *words;

        if (error >= 0 && (size_t)error < N_ELEMENTS(error_strings))
                return error_strings[error];
        words = error < 0 ? strerrordesc_np(-error) : NULL;
        return words ? words : "an unknown error";
}
