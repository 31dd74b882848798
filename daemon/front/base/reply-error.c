/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/reply-error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "front/base/message.h"

static void set(ReplyError *why, Benchd__Error__Code code, const char *format, va_list arguments) {
        why->code = code;
        why->hint[0] = 0;
        why->n_output = 0;
        why->failure = NULL;
        vsnprintf(why->message, sizeof why->message, format, arguments);
}

ReplyError *reply_error_set(ReplyError *why, Benchd__Error__Code code, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        set(why, code, format, arguments);
        va_end(arguments);
        return why;
}

ReplyError *reply_error_bad(ReplyError *why, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        set(why, BENCHD__ERROR__CODE__BAD_REQUEST, format, arguments);
        va_end(arguments);
        return why;
}

void reply_error_hint(ReplyError *why, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(why->hint, sizeof why->hint, format, arguments);
        va_end(arguments);
}

void reply_error_output(ReplyError *why, const char *text, size_t n) {
        why->n_output = n < sizeof why->output ? n : sizeof why->output;
        memcpy(why->output, text + n - why->n_output, why->n_output);
}

void reply_error_fill_error(const ReplyError *why, Arena *arena, Benchd__Error *error) {
        message_set(error, code, why->code);
        error->message = arena_text(arena, why->message);
        error->hint = why->hint[0] ? arena_text(arena, why->hint) : NULL;
        error->failure = why->failure ? arena_text(arena, why->failure) : NULL;
        error->output = why->n_output > 0 ? arena_lines(arena, why->output, why->n_output) : NULL;
}
