/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A machine of tests/machines laid out below a temporary directory.
 */

#include "test.h"
#include "tests/unit/test-paths.h"
#include "util/cpu-list.h"
#include "util/root-dir.h"

typedef struct Machine {
        char directory[64];
        RootDir *root;
} Machine;

/* Writes @text and a newline to the file @path of @machine, with the folders above it. */
static inline void machine_put(const Machine *machine, const char *path, const char *text) {
        char whole[8192];
        FILE *file;

        snprintf(whole, sizeof whole, "%s/%s", machine->directory, path);
        for (char *slash = whole + strlen(machine->directory) + 1; (slash = strchr(slash, '/')); slash++) {
                *slash = 0;
                mkdir(whole, 0700);
                *slash = '/';
        }
        file = fopen(whole, "w");
        assert_non_null(file);
        fprintf(file, "%s\n", text);
        fclose(file);
}

/* Takes the escapes out of @text. */
static inline void machine_unescape(char *text) {
        char *to = text;

        for (; *text; text++, to++) {
                *to = *text;
                if (*text == '\\' && text[1])
                        *to = *++text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
        }
        *to = 0;
}

/* Writes @text with each {}, {+N} and {-N} of it as @number plus N. */
static inline void machine_expand(const char *text, int number, char *ret_text, size_t n_text) {
        size_t n = 0;

        ret_text[0] = 0;
        while (*text) {
                const char *open = strchrnul(text, '{');

                n += snprintf(ret_text + n, n_text - n, "%.*s", (int)(open - text), text);
                assert_true(n < n_text);
                if (!*open)
                        break;
                n += snprintf(ret_text + n, n_text - n, "%d", number + atoi(open + 1));
                text = strchr(open, '}') + 1;
        }
}

static inline void machine_put_line(const Machine *machine, const char *path, const char *value) {
        const char *open = strchr(path, '{');
        char one[256], text[1024];
        int first, last;

        if (!open) {
                machine_put(machine, path, value);
                return;
        }
        assert_int_equal(sscanf(open, "{%d-%d}", &first, &last), 2);
        for (int number = first; number <= last; number++) {
                snprintf(one, sizeof one, "%.*s%d%s", (int)(open - path), path, number, strchr(open, '}') + 1);
                machine_expand(value, number, text, sizeof text);
                machine_put(machine, one, text);
        }
}

static inline Machine *machine_new(void) {
        Machine *machine = calloc(1, sizeof *machine);

        assert_non_null(machine);
        snprintf(machine->directory, sizeof machine->directory, "%s/test-machine-XXXXXX",
                        access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        assert_non_null(mkdtemp(machine->directory));
        assert_int_equal(root_dir_new(machine->directory, &machine->root), 0);
        return machine;
}

/* Lays out the file @name of tests/machines. */
static inline Machine *machine_lay(const char *name) {
        Machine *machine = machine_new();
        char path[512], line[4096];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", BENCHD_MACHINES, name);
        file = fopen(path, "r");
        assert_non_null(file);
        while (fgets(line, sizeof line, file)) {
                char *tab = strchr(line, '\t');

                if (line[0] == '#')
                        continue;
                assert_non_null(tab);
                *tab = 0;
                tab[1 + strcspn(tab + 1, "\n")] = 0;
                machine_unescape(tab + 1);
                machine_put_line(machine, line, tab + 1);
        }
        fclose(file);
        return machine;
}

static inline Machine *machine_free(Machine *machine) {
        char command[128];

        if (!machine)
                return NULL;
        root_dir_free(machine->root);
        snprintf(command, sizeof command, "rm -r %s", machine->directory);
        assert_int_equal(system(command), 0);
        free(machine);
        return NULL;
}

static inline void machine_freep(Machine **machine) {
        machine_free(*machine);
}

/* What the file @path of @machine holds, in a buffer that the next call overwrites. */
static inline const char *machine_get(const Machine *machine, const char *path) {
        static char text[4096];

        assert_int_equal(root_dir_read_line(machine->root, path, text, sizeof text), 0);
        return text;
}

/* ---- sets of CPUs as people write them */

static inline cpu_set_t cpus(const char *list) {
        cpu_set_t set;

        assert_int_equal(cpu_list_parse(list, &set), 0);
        return set;
}

/* In a buffer that the next call overwrites. */
static inline const char *list_of(const cpu_set_t *set) {
        static char text[4096];

        assert_true(cpu_list_format(set, text, sizeof text) < sizeof text);
        return text;
}
