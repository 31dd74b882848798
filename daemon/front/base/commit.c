/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/commit.h"

#include <string.h>

#include "front/base/arena.h"
#include "front/base/message.h"

bool commit_is_valid(const Benchd__Commit *commit) {
        const size_t n = commit->id ? strlen(commit->id) : 0;

        if (n < 1 || n > COMMIT_ID_MAX || (commit->subject && strlen(commit->subject) > COMMIT_SUBJECT_MAX))
                return false;
        for (size_t i = 0; i < n; i++)
                if (commit->id[i] <= ' ' || commit->id[i] > '~')
                        return false;
        return true;
}

Benchd__Commit *commit_copy(Arena *arena, const Benchd__Commit *commit) {
        Benchd__Commit *copy = commit ? message_new(arena, Benchd__Commit, benchd__commit) : NULL;

        if (!copy)
                return NULL;
        copy->id = arena_text(arena, commit->id);
        copy->subject = arena_text(arena, commit->subject);
        message_set(copy, dirty, commit->dirty);
        if (commit->has_committed_at_unix_ns)
                message_set(copy, committed_at_unix_ns, commit->committed_at_unix_ns);
        return copy;
}
