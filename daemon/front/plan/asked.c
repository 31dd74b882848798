/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/asked.h"

uint32_t asked_flags(const Benchd__RunRequest *request) {
        const RunOption *option;
        uint32_t flags = 0, bit = 1;

        for (size_t i = 0; (option = run_option_at(i)); i++) {
                if (!option->runner || run_option_is_number(option))
                        continue;
                flags |= run_request_asks(request, option) ? bit : 0;
                bit <<= 1;
        }
        return flags;
}

/* The fields are in the order of the rows. */
RunnerAsked asked_numbers(const Benchd__RunRequest *request) {
        RunnerAsked asked = {};
        const RunOption *option;
        size_t n = 0;

        for (size_t i = 0; (option = run_option_at(i)); i++)
                if (option->runner && run_option_is_number(option))
                        ((uint64_t *)&asked)[n++] = run_request_number(request, option);
        return asked;
}
