/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/bisect/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/base/user-directory.h"
#include "util/cleanup.h"
#include "util/fd.h"

#define NAME_BYTES    32u
#define FILE_UNUSED_S (30 * 24 * 3600) /* a search not continued for so long is forgotten */

static const char *const kinds[] = {
        [BISECT_NOTE_LOOK] = "look",
        [BISECT_NOTE_BROKEN] = "broken",
        [BISECT_NOTE_TWIN] = "twin",
};

struct BisectState {
        BisectNote *notes;
        size_t n;
        int directory_fd;
        int fd; /* -1: nothing is written */
        char name[NAME_BYTES];
};

BisectState *bisect_state_close(BisectState *state) {
        if (!state)
                return NULL;
        fd_close(state->fd);
        fd_close(state->directory_fd);
        free(state->notes);
        free(state);
        return NULL;
}

/* ---- reading */

static bool is_positive(double value) {
        return isfinite(value) && value > 0;
}

/* Foreign hands may have been in the file: what makes no sense is no note. */
static bool note_parse(const char *line, BisectNote *ret_note) {
        _cleanup_(json_decrefp) json_t *json = json_loads(line, 0, NULL);
        BisectNote note = { .kind = N_ELEMENTS(kinds) };
        double n = json_number_or(json, "n", 0);

        for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
                if (json_text_is(json, "kind", kinds[i]))
                        note.kind = i;
        snprintf(note.id, sizeof note.id, "%s", json_text_or(json, "commit", ""));
        snprintf(note.other, sizeof note.other, "%s", json_text_or(json, "other", ""));
        note.n = n >= 1 && n <= 1e6 ? (size_t)n : 0;
        note.mean = json_number_or(json, "mean", NAN);
        note.error = json_number_or(json, "error", NAN);
        note.freedom = json_number_or(json, "freedom", NAN);
        note.build_s = fmax(json_number_or(json, "build_s", 0), 0);
        note.look_s = fmax(json_number_or(json, "look_s", 0), 0);
        if (note.kind == N_ELEMENTS(kinds) || !*note.id || (note.kind == BISECT_NOTE_TWIN && !*note.other))
                return false;
        if (note.kind == BISECT_NOTE_LOOK &&
                        !(note.n > 0 && isfinite(note.mean) && note.error >= 0 && is_positive(note.freedom)))
                return false;
        *ret_note = note;
        return true;
}

static int state_read(BisectState *state) {
        _cleanup_(fd_closep) int fd = fcntl(state->fd, F_DUPFD_CLOEXEC, 0);
        _cleanup_(freep) char *line = NULL;
        size_t n_line = 0;
        FILE *file = fdopen(fd, "r");
        int r = 0;

        if (!file)
                return -ENOMEM;
        (void)fd_take(&fd);
        rewind(file);
        while (r == 0 && getline(&line, &n_line, file) > 0) {
                BisectNote note, *more;

                if (!strchr(line, '\n') || !note_parse(line, &note))
                        continue;
                more = reallocarray(state->notes, state->n + 1, sizeof *more);
                r = more ? 0 : -ENOMEM;
                if (more) {
                        state->notes = more;
                        more[state->n++] = note;
                }
        }
        fclose(file);
        return r;
}

/* ---- the file */

static void state_name(const char *key, char name[static NAME_BYTES]) {
        uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */

        for (const char *at = key; *at; at++)
                hash = (hash ^ (uint8_t)*at) * 0x100000001b3;
        snprintf(name, NAME_BYTES, "%016" PRIx64 ".jsonl", hash);
}

static void sweep(int directory_fd, time_t now) {
        DIR *directory = fdopendir(fcntl(directory_fd, F_DUPFD_CLOEXEC, 0));
        struct dirent *entry;
        struct stat status;

        while (directory && (entry = readdir(directory)))
                if (fstatat(directory_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                                S_ISREG(status.st_mode) && status.st_mtim.tv_sec + FILE_UNUSED_S < now)
                        (void)unlinkat(directory_fd, entry->d_name, 0);
        if (directory)
                closedir(directory);
}

/* Two searches of the same would write each other's notes twice. */
static int state_lock(const BisectState *state) {
        if (flock(state->fd, LOCK_EX | LOCK_NB) == 0)
                return 0;
        complain("Another benchctl is at this search.");
        complain_hint("Wait for its end, or stop it: what it found until then is kept.");
        return EXIT_USAGE;
}

static void cannot_keep(int r) {
        complain("The search cannot be continued if it is interrupted: %s.", benchd_error_string(r));
        complain_hint("Name a directory that you may write to: XDG_STATE_HOME=DIRECTORY benchctl ...");
}

int bisect_state_open(const char *key, bool afresh, BisectState **ret_state) {
        _cleanup_(bisect_state_closep) BisectState *state = calloc(1, sizeof *state);
        int r = 0;

        if (!state) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        state->fd = -1;
        state_name(key, state->name);
        state->directory_fd = user_directory_open(USER_DIRECTORY_STATE, "bisect", true);
        if (state->directory_fd >= 0) {
                sweep(state->directory_fd, time(NULL));
                state->fd = openat(state->directory_fd, state->name,
                                O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
                r = state->fd < 0 ? -errno : 0;
        } else
                r = -ENOENT;
        if (r)
                cannot_keep(r);
        r = r ? 0 : state_lock(state);
        if (r)
                return r;
        if (state->fd >= 0 && (afresh ? ftruncate(state->fd, 0) : state_read(state)) != 0)
                cannot_keep(-EIO);
        *ret_state = take_pointer(state);
        return 0;
}

const BisectNote *bisect_state_at(const BisectState *state, size_t index) {
        return index < state->n ? &state->notes[index] : NULL;
}

/* ---- writing */

static json_t *note_json(const BisectNote *note) {
        if (note->kind == BISECT_NOTE_BROKEN)
                return json_pack("{s:s,s:s,s:f}", "kind", kinds[note->kind], "commit", note->id, "build_s",
                                note->build_s);
        if (note->kind == BISECT_NOTE_TWIN)
                return json_pack("{s:s,s:s,s:s,s:f}", "kind", kinds[note->kind], "commit", note->id, "other",
                                note->other, "build_s", note->build_s);
        return json_pack("{s:s,s:s,s:I,s:f,s:f,s:f,s:f,s:f}", "kind", kinds[note->kind], "commit", note->id, "n",
                        (json_int_t)note->n, "mean", note->mean, "error", note->error, "freedom", note->freedom,
                        "build_s", note->build_s, "look_s", note->look_s);
}

void bisect_state_add(BisectState *state, const BisectNote *note) {
        _cleanup_(json_decrefp) json_t *json = note_json(note);
        _cleanup_(freep) char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
        _cleanup_(freep) char *line = NULL;
        int r;

        if (state->fd < 0)
                return;
        if (!text || asprintf(&line, "\n%s\n", text) < 0) /* behind a line that may be torn */
                line = NULL;
        r = line ? fd_write_all(state->fd, line, strlen(line)) : -ENOMEM;
        if (r == 0)
                return;
        cannot_keep(r);
        fd_close(state->fd);
        state->fd = -1;
}

void bisect_state_remove(BisectState *state) {
        if (state->fd >= 0)
                (void)unlinkat(state->directory_fd, state->name, 0);
}
