/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The daemon's configuration: whatever the file says, each option has a value that could be written there again, and a
 * problem is told in one line.
 */

#include "front/base/config.h"

#include <ctype.h>

#include "fuzz.h"

static void hold_value_is_its_own(const Config *config, const ConfigOption *option) {
        char text[CONFIG_VALUE_MAX], again[CONFIG_VALUE_MAX];
        Config copy;

        config_print(config, option, text);
        HOLD(config_set(&copy, option, text) == 0);
        config_print(&copy, option, again);
        HOLD(strcmp(text, again) == 0);
}

static void hold_is_one_line(const char *text) {
        HOLD(*text);
        for (; *text; text++)
                HOLD(!iscntrl((unsigned char)*text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;
        const ConfigOption *option;
        char path[32];
        int fd = fuzz_file(data, n_data);

        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        HOLD(config_file_read(path, true, &file) == 0);
        close(fd);
        for (size_t i = 0; i < file->n_problems; i++)
                hold_is_one_line(file->problems[i].text);
        for (size_t i = 0; (option = config_option_at(i)); i++)
                hold_value_is_its_own(&file->config, option);
        return 0;
}
