/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/complaint.h"

#include <stdarg.h>
#include <stdio.h>

#include "front/message.h"

Complaint *complaint_set(Complaint *complaint, Benchd__Error__Code code, const char *format, ...) {
        va_list arguments;

        complaint->code = code;
        complaint->hint[0] = 0;
        va_start(arguments, format);
        vsnprintf(complaint->message, sizeof complaint->message, format, arguments);
        va_end(arguments);
        return complaint;
}

void complaint_hint(Complaint *complaint, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(complaint->hint, sizeof complaint->hint, format, arguments);
        va_end(arguments);
}

void complaint_fill_error(const Complaint *complaint, Arena *arena, Benchd__Error *error) {
        message_set(error, code, complaint->code);
        error->message = arena_text(arena, complaint->message);
        error->hint = complaint->hint[0] ? arena_text(arena, complaint->hint) : NULL;
}
