/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Words typed behind benchctl, one a line: each refusal has its sentence.
 */

#include "ctl/app/settings.h"

#include "ctl/base/instant.h"
#include "fuzz.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

#define WORDS_MAX 64u
#define NOW_S     1790000000 /* in 2026 */

static void read_values(const Settings *settings) {
        char text[INSTANT_TEXT_MAX];
        cpu_set_t set;
        int64_t seconds;

        if (settings->since) {
                (void)instant_parse(settings->since, NOW_S, &seconds);
                (void)instant_local(settings->since, "%c", text);
        }
        if (settings->cpus)
                (void)cpu_list_parse(settings->cpus, &set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        _cleanup_(freep) char *text = fuzz_text(data, n_data);
        const char *words[1 + WORDS_MAX + 1] = { "benchctl" };
        char *rest = text;
        Settings settings;
        int r;

        for (size_t i = 0; i < WORDS_MAX && rest; i++)
                words[1 + i] = strsep(&rest, "\n");
        r = settings_parse(&settings, words);
        HOLD(r == 0 || r == SETTINGS_E_USAGE || r == SETTINGS_E_NO_VERB);
        HOLD(memchr(settings.problem, 0, sizeof settings.problem));
        HOLD((r == SETTINGS_E_USAGE) == (settings.problem[0] != 0));
        HOLD(memchr(settings.hint, 0, sizeof settings.hint));
        if (r == 0)
                read_values(&settings);
        settings_clear(&settings);
        return 0;
}
