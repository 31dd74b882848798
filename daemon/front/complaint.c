/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/complaint.h"

#include <stdarg.h>
#include <stdio.h>

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
