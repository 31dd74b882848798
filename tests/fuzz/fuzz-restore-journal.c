/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The restore journal, by which root writes to the machine: from a bad line on nothing is taken, and what is written is a
 * setting and stands in the file before that line, in one that has its checksum, as what the value was.
 */

#include "machine/restore-journal.h"

#include "fuzz.h"
#include "machine/restore.h"

static RootDir *root;

/* A machine on which everything holds what benchd set it to, until it is put back. */
typedef struct Pretended {
        RestoreJournal *journal;
        const char *text; /* of the journal, as it was found */
        char key[RESTORE_KEY_MAX], value[FILE_VALUE_MAX];
} Pretended;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
        root = fuzz_root();
        return 0;
}

/* Whether the text says, in a line as the journal writes them, that @key was @was. */
static bool text_notes(const char *text, const char *key, const char *was) {
        char line[RESTORE_LINE_MAX], again[RESTORE_LINE_MAX];
        RestoreRecord record;
        size_t n;

        for (; (text = strchr(text, '\n')); text++) {
                snprintf(line, sizeof line, "%.*s", (int)strcspn(text + 1, "\n"), text + 1);
                if (restore_record_parse(line, &record) != 0 || record.phase != RESTORE_NOTED)
                        continue;
                HOLD(restore_record_format(&record, again, &n) == 0);
                if (strncmp(line, again, n - 1) == 0 && strcmp(record.key, key) == 0 && strcmp(record.was, was) == 0)
                        return true;
        }
        return false;
}

static int pretend_read(void *context, const char *key, char *value, size_t n_value) {
        const Pretended *pretended = context;
        const char *is = pretended->value;

        if (strcmp(pretended->key, key) != 0)
                for (size_t i = 0; i < restore_journal_count(pretended->journal); i++)
                        if (strcmp(restore_journal_entry(pretended->journal, i)->key, key) == 0)
                                is = restore_journal_entry(pretended->journal, i)->ours[0];
        HOLD((size_t)snprintf(value, n_value, "%s", is) < n_value);
        return 0;
}

static int pretend_write(void *context, const char *key, const char *value) {
        Pretended *pretended = context;

        HOLD(text_notes(pretended->text, key, value));
        snprintf(pretended->key, sizeof pretended->key, "%s", key);
        snprintf(pretended->value, sizeof pretended->value, "%s", value);
        return 0;
}

/* What is put back is a setting or a group of a runner, whatever the file names. */
static void hold_key_is_sound(const RestoreEntry *entry) {
        HOLD(entry->kind != RESTORE_FILE || strncmp(entry->key, "sys/", 4) == 0 ||
                        strncmp(entry->key, "proc/", 5) == 0);
        HOLD(entry->kind != RESTORE_CGROUP || strncmp(entry->key, "sys/fs/cgroup/", 14) == 0);
        HOLD((entry->kind != RESTORE_FILE && entry->kind != RESTORE_CGROUP) || !strstr(entry->key, ".."));
}

/* Ends the text before the first line that is damaged, and holds that those before it are sound. */
static void hold_damage_is_where_it_is_said_to_be(char *text, RestoreDamage damage) {
        char *start = text, *end;
        size_t line = 1;

        for (; (end = strchr(start, '\n')); start = end + 1, line++) {
                char copy[2 * RESTORE_LINE_MAX];
                RestoreRecord record;
                bool sound;

                snprintf(copy, sizeof copy, "%.*s", (int)(end - start), start);
                sound = line == 1 || restore_record_parse(copy, &record) == 0;
                HOLD(sound == (damage.first_line == 0 || line < damage.first_line));
                if (!sound)
                        break;
        }
        *start = 0;
}

static void restore(RestoreJournal *journal, char *text) {
        Pretended pretended = { .journal = journal, .text = text };
        RestoreHands hands;

        hold_damage_is_where_it_is_said_to_be(text, restore_journal_damage(journal));
        for (size_t i = 0; i < restore_journal_count(journal); i++)
                hold_key_is_sound(restore_journal_entry(journal, i));
        for (size_t kind = 0; kind < _RESTORE_KIND_N; kind++)
                hands.hands[kind] = (RestoreHand){ pretend_read, pretend_write, &pretended };
        HOLD(restore_all(journal, &hands, NULL, NULL) == 0);
        HOLD(restore_journal_count(journal) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        char *text = fuzz_text(data, n_data);
        RestoreJournal *journal;
        int r;

        fuzz_put(root, "journal", data, n_data);
        r = restore_journal_open(root, "journal", &journal);
        if (r) {
                HOLD(r == RESTORE_JOURNAL_E_CORRUPT);
                HOLD(faccessat(root_dir_fd(root), "journal", F_OK, 0) < 0);
        } else {
                restore(journal, text);
                restore_journal_close(journal);
        }
        free(text);
        return 0;
}
