/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/marks.h"

#include "util/cleanup.h"

static const Mark marks_rows[] = {
        { 1, "interrupted", MARK_CLASS_QUIET },
        { 2, "preempted", MARK_CLASS_DISTURBED },
        { 4, "migrated", MARK_CLASS_DISTURBED },
        { 8, "faulted", MARK_CLASS_QUIET },
        { 16, "frequency", MARK_CLASS_QUIET },
        { 32, "unattributed", MARK_CLASS_DISTURBED },
        { 64, "shared", MARK_CLASS_SHARED },
        { 128, "beside-shared", MARK_CLASS_SHARED },
        { 256, "stolen", MARK_CLASS_DISTURBED },
};

const Mark *mark_at(size_t index) {
        return index < N_ELEMENTS(marks_rows) ? &marks_rows[index] : NULL;
}

MarkClass marks_class(uint32_t marks) {
        MarkClass class = MARK_CLASS_QUIET;

        for (size_t i = 0; i < N_ELEMENTS(marks_rows); i++)
                if (marks & marks_rows[i].bit && marks_rows[i].class > class)
                        class = marks_rows[i].class;
        return class;
}
