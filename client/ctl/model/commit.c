/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/commit.h"

#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

/* A full id of git's, which is told by its beginning; a number of another system may be told by its end. */
static bool is_of_git(const char *id) {
        const size_t n = strlen(id);

        return (n == 40 || n == 64) && strspn(id, "0123456789abcdef") == n;
}

bool commit_print(const json_t *commit, FILE *out) {
        const char *id = json_text_at(commit, "id");

        if (!id)
                return false;
        fprintf(out, "%.*s", is_of_git(id) ? COMMIT_DIGITS_SHOWN : (int)strlen(id), id);
        fputs(json_flag_at(commit, "dirty") ? "-dirty" : "", out);
        return true;
}

char *commit_module_words(const json_t *module) {
        const json_t *commit = json_at(module, "commit");
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        fputs(json_text_or(module, "name", "module"), out);
        if (json_text_at(commit, "id")) {
                fputs(" at ", out);
                commit_print(commit, out);
        }
        return text_stream_take(&text);
}
