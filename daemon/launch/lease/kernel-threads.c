/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/kernel-threads.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/restore-journal.h"
#include "machine/restore.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

#define KTHREADD          2 /* the parent of all others */
#define CHILDREN          "proc/2/task/2/children"
#define CHILDREN_TEXT_MAX (512u << 10) /* bytes: of 65,536 threads */
#define KEY_MAX           64u

/* Bits of field 9 of proc(5)'s stat, as include/linux/sched.h has them. */
#define PF_KTHREAD        0x00200000u
#define PF_NO_SETAFFINITY 0x04000000u

typedef struct Moving {
        RootDir *root;
        RestoreJournal *journal;
        RestoreHand hand;
        const cpu_set_t *leased;
        const cpu_set_t *others;
        KernelThreads threads;
} Moving;

/* The flags of a process; 0 if it does not exist. */
static unsigned read_flags(RootDir *root, unsigned id) {
        char path[32], text[1024];
        const char *rest;
        unsigned flags;

        snprintf(path, sizeof path, "proc/%u/stat", id);
        if (root_dir_read_line(root, path, text, sizeof text) != 0)
                return 0;
        rest = strrchr(text, ')');
        return rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 ? flags : 0;
}

static bool is_movable(RootDir *root, unsigned id) {
        const unsigned flags = read_flags(root, id);

        return (flags & PF_KTHREAD) && !(flags & PF_NO_SETAFFINITY);
}

/* Writes @was without the leased CPUs; false if it has none of them, or if there are no others. */
static bool mask_without(const Moving *moving, const char *was, char *want, size_t n_want) {
        cpu_set_t set;

        if (cpu_list_parse(was, &set) != 0 || !cpu_sets_meet(&set, moving->leased))
                return false;
        cpu_set_subtract(&set, moving->leased);
        if (CPU_COUNT(&set) == 0)
                set = *moving->others;
        return cpu_list_format(&set, want, n_want) < n_want && strcmp(want, was) != 0;
}

/*
 * The mask of a thread that could not be moved is not this daemon's doing, whatever it is by now: another daemon may be
 * moving it.
 */
static int thread_write(Moving *moving, const char *key, const char *is, const char *want) {
        const RestoreEntry *entry = restore_journal_find(moving->journal, RESTORE_THREAD_MASK, key);
        const bool fresh = !entry;
        char now[FILE_VALUE_MAX], was[FILE_VALUE_MAX];
        int r;

        snprintf(was, sizeof was, "%s", entry ? entry->was : is);
        r = restore_journal_note(moving->journal, RESTORE_THREAD_MASK, key, was, want);
        if (r)
                return error_trace(r);
        r = moving->hand.write(moving->hand.context, key, want);
        if (r < 0)
                return error_trace(r);
        moving->threads.n_moved += r == 0;
        moving->threads.n_refused += r == RESTORE_HAND_E_REFUSED;
        if (r == RESTORE_HAND_E_REFUSED && fresh)
                return error_trace(restore_journal_done(moving->journal, RESTORE_THREAD_MASK, key));
        r = moving->hand.read(moving->hand.context, key, now, sizeof now);
        if (r < 0)
                return error_trace(r);
        if (r > 0 || strcmp(now, was) == 0)
                return error_trace(restore_journal_done(moving->journal, RESTORE_THREAD_MASK, key));
        return error_trace(restore_journal_confirm(moving->journal, RESTORE_THREAD_MASK, key, now));
}

static int thread_move(Moving *moving, unsigned id) {
        char key[KEY_MAX], is[FILE_VALUE_MAX], want[FILE_VALUE_MAX];
        int r;

        r = restore_thread_mask_key(moving->root, id, key, sizeof key);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        r = moving->hand.read(moving->hand.context, key, is, sizeof is);
        if (r)
                return r < 0 ? error_trace(r) : 0;
        if (!mask_without(moving, is, want, sizeof want)) {
                moving->threads.n_moved += moving->journal &&
                                           restore_journal_find(moving->journal, RESTORE_THREAD_MASK, key) != NULL;
                return 0;
        }
        if (!moving->journal) {
                moving->threads.n_refused++;
                return 0;
        }
        return error_trace(thread_write(moving, key, is, want));
}

/*
 * Lists the kernel's threads, as text that the caller frees, without walking the processes of users, which may be very many. NULL if
 * the kernel has no such list, or if process 2 is not kthreadd: in a pid namespace.
 */
static int read_children(RootDir *root, char **ret_text) {
        _cleanup_(freep) char *text = malloc(CHILDREN_TEXT_MAX);
        int r = ROOT_DIR_E_MISSING;

        if (!text)
                return error_origin(-ENOMEM);
        if (read_flags(root, KTHREADD) & PF_KTHREAD)
                r = root_dir_read(root, CHILDREN, text, CHILDREN_TEXT_MAX);
        if (r < 0)
                return error_trace(r);
        *ret_text = r == 0 ? take_pointer(text) : NULL;
        return 0;
}

int kernel_threads_move(RootDir *root, RestoreJournal *journal, const cpu_set_t *leased, const cpu_set_t *others,
                KernelThreads *ret_threads) {
        Moving moving = { .root = root, .journal = journal, .leased = leased, .others = others };
        _cleanup_(freep) char *children = NULL;
        char *rest, *end;
        int r;

        restore_thread_mask_hand(root, &moving.hand);
        r = read_children(root, &children);
        if (r)
                return error_trace(r);
        moving.threads.known = children;
        for (rest = children; !r && rest; rest = end) {
                const unsigned id = strtoul(rest, &end, 10);

                if (end == rest)
                        break;
                if (is_movable(root, id))
                        r = thread_move(&moving, id);
        }
        if (r)
                return error_trace(r);
        *ret_threads = moving.threads;
        return 0;
}
