/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/file-value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"

static bool numbers_equal(const char *a, const char *b) {
        char *end_a, *end_b;
        long long x = strtoll(a, &end_a, 0), y = strtoll(b, &end_b, 0);

        return end_a > a && end_b > b && !*end_a && !*end_b && x == y;
}

static bool lists_equal(const char *a, const char *b) {
        cpu_set_t x, y;

        return cpu_list_parse(a, &x) == 0 && cpu_list_parse(b, &y) == 0 && CPU_EQUAL(&x, &y);
}

static bool masks_equal(const char *a, const char *b) {
        cpu_set_t x, y;

        return cpu_mask_parse(a, &x) == 0 && cpu_mask_parse(b, &y) == 0 && CPU_EQUAL(&x, &y);
}

bool file_value_equal(FileValueKind kind, const char *a, const char *b) {
        static bool (*const equal[])(const char *a, const char *b) = {
                [FILE_VALUE_NUMBER] = numbers_equal,
                [FILE_VALUE_LIST] = lists_equal,
                [FILE_VALUE_MASK] = masks_equal,
        };

        return strcmp(a, b) == 0 || (kind != FILE_VALUE_WORD && equal[kind](a, b));
}

#define WORKQUEUE "sys/devices/virtual/workqueue"

#define LATER_PATIENCE_MS 200u

int file_value_read(RootDir *root, const char *path, char *value, size_t n_value) {
        static const struct {
                const char *written, *read;
        } others[] = { { WORKQUEUE "/cpumask", WORKQUEUE "/cpumask_requested" } };
        int r;

        for (size_t i = 0; i < N_ELEMENTS(others); i++) {
                if (strcmp(path, others[i].written) != 0)
                        continue;
                r = root_dir_read_line(root, others[i].read, value, n_value);
                if (r != ROOT_DIR_E_MISSING)
                        return error_trace(r);
        }
        return error_trace(root_dir_read_line(root, path, value, n_value));
}

/* cpufreq takes over a written limit later, in a workqueue (cpufreq_notifier_min() in drivers/cpufreq/cpufreq.c). */
static bool is_taken_later(const char *path) {
        static const char *const names[] = { "/scaling_min_freq", "/scaling_max_freq" };
        const char *name = strrchr(path, '/');

        for (size_t i = 0; name && i < N_ELEMENTS(names); i++)
                if (strcmp(name, names[i]) == 0)
                        return true;
        return false;
}

int file_value_write(RootDir *root, const char *path, const char *value) {
        const struct timespec millisecond = { .tv_nsec = 1000000 };
        char is[FILE_VALUE_MAX];
        int r;

        r = root_dir_write(root, path, value);
        if (r || !is_taken_later(path))
                return error_trace(r);
        for (unsigned waited_ms = 0; waited_ms < LATER_PATIENCE_MS; waited_ms++) {
                r = file_value_read(root, path, is, sizeof is);
                if (r || strcmp(is, value) == 0)
                        return r < 0 ? error_trace(r) : 0;
                nanosleep(&millisecond, NULL);
        }
        return 0;
}

#define LIST_MAX 8192u /* bytes: 1024 CPUs, each by itself */

int file_value_read_text(RootDir *root, const char *path, char *text, size_t n_text) {
        int r;

        r = root_dir_read_line(root, path, text, n_text);
        if (r > 0)
                text[0] = 0;
        return r < 0 ? error_trace(r) : 0;
}

/* Turns "0 1 2 " into a list. */
static void commas_for_blanks(char *text) {
        for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
                text[n - 1] = 0;
        for (; *text; text++)
                if (*text == ' ')
                        *text = ',';
}

int file_value_read_set(RootDir *root, const char *path, cpu_set_t *ret_set) {
        char text[LIST_MAX];
        int r;

        r = file_value_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        commas_for_blanks(text);
        if (cpu_list_parse(text, ret_set) != 0)
                CPU_ZERO(ret_set);
        return 0;
}

int file_value_read_number(RootDir *root, const char *path, unsigned *ret_number) {
        char text[32];
        long number;
        int r;

        r = file_value_read_text(root, path, text, sizeof text);
        if (r)
                return error_trace(r);
        number = strtol(text, NULL, 10);
        *ret_number = number > 0 ? number : 0;
        return 0;
}

#define CPUS "sys/devices/system/cpu"

/* The CPU that the file @path belongs to; -1 if none. */
static int file_cpu(const char *path) {
        static const char *const forms[] = { CPUS "/cpu%u/%n", CPUS "/cpufreq/policy%u/%n" };

        for (size_t i = 0; i < N_ELEMENTS(forms); i++) {
                unsigned number;
                int n = 0;

                if (sscanf(path, forms[i], &number, &n) == 1 && n > 0)
                        return number;
        }
        return -1;
}

bool file_value_cpu_is_off(RootDir *root, const char *path) {
        int cpu = file_cpu(path);
        char switch_path[64], online[8];

        if (cpu < 0)
                return false;
        snprintf(switch_path, sizeof switch_path, CPUS "/cpu%d/online", cpu);
        return root_dir_read_line(root, switch_path, online, sizeof online) == 0 && online[0] == '0';
}
