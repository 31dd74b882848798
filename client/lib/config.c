/* SPDX-License-Identifier: MIT */
#include "lib/config.h"

#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CONFIG_SOCKET "/run/benchd/benchd.sock"
#define CONFIG_NAME   "libbenchd " BENCHD_VERSION

DEFINE_CLEANUP(benchd_config *, benchd_config_free)

static int string_replace(char **string, const char *with) {
        char *copy;

        copy = strdup(with);
        if (!copy)
                return error_origin(-ENOMEM);
        free(*string);
        *string = copy;
        return 0;
}

int benchd_config_new(benchd_config **ret_config) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        int r;

        config = calloc(1, sizeof *config);
        if (!config)
                return error_origin(-ENOMEM);
        r = benchd_config_set_socket(config, CONFIG_SOCKET);
        if (r)
                return error_trace(r);
        r = benchd_config_set_name(config, CONFIG_NAME);
        if (r)
                return error_trace(r);
        *ret_config = take_pointer(config);
        return 0;
}

benchd_config *benchd_config_free(benchd_config *config) {
        if (!config)
                return NULL;
        free(config->socket);
        free(config->name);
        free(config);
        return NULL;
}

int benchd_config_set_socket(benchd_config *config, const char *path) {
        return error_trace(string_replace(&config->socket, path));
}

int benchd_config_set_name(benchd_config *config, const char *name) {
        return error_trace(string_replace(&config->name, name));
}
