/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The canary against the kernel's own books: spins in user code on one CPU, and prints how often the canary fired, how many
 * interrupts /proc/interrupts says that CPU took meanwhile, and the ratio.
 *
 * At SCHED_FIFO where that is to be had, in stretches that stay below the kernel's limit (ops/window.h): an interrupt that
 * hits another program is rightly none of the canary's, but is in the file. What hits the reading of the file, or the
 * kernel itself, is in the denominator only.
 *
 *      canary [CPU [SECONDS]]
 */

#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ops/runner-plan.h"
#include "runner/watch/detect.h"

#define CANARY_STRETCH_NS 300000000ull
#define CANARY_TURNS      2000u /* between two looks at the canary: about a microsecond */

static uint64_t now_ns(void) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* The place of @cpu among the columns, by the line of titles; -1 if it is not there. */
static int column_of(const char *titles, int cpu) {
        char name[16];
        int column = 0;

        snprintf(name, sizeof name, "CPU%d", cpu);
        for (const char *at = titles + strspn(titles, " "); *at && *at != '\n'; at += strspn(at, " "), column++) {
                size_t n = strcspn(at, " \n");

                if (n == strlen(name) && strncmp(at, name, n) == 0)
                        return column;
                at += n;
        }
        return -1;
}

/* The number in @column of a line such as "LOC:  12  34  Local timer interrupts"; 0 where it has none. */
static uint64_t number_in(const char *line, int column) {
        const char *at = strchr(line, ':');
        uint64_t number = 0;
        char *end;

        for (int i = 0; at && i <= column; i++) {
                number = strtoull(at + 1, &end, 10);
                if (end == at + 1)
                        return 0;
                at = end - (*end == 0);
        }
        return at ? number : 0;
}

/* All interrupts that @cpu has taken so far; false if the file does not say. */
static bool interrupts_of(int cpu, uint64_t *ret_n) {
        FILE *file = fopen("/proc/interrupts", "re");
        char *line = NULL;
        size_t n_line = 0;
        uint64_t n = 0;
        int column = -1;

        if (file && getline(&line, &n_line, file) > 0)
                column = column_of(line, cpu);
        while (column >= 0 && getline(&line, &n_line, file) > 0)
                n += number_in(line, column);
        free(line);
        if (file)
                fclose(file);
        *ret_n = n;
        return column >= 0;
}

static uint64_t spin(uint64_t duration_ns) {
        uint64_t end_ns = now_ns() + duration_ns, fired = 0;

        detect_arm(DETECTOR_CANARY);
        while (now_ns() < end_ns) {
                for (unsigned i = 0; i < CANARY_TURNS; i++)
                        __asm__ volatile("");
                if (detect_read(DETECTOR_CANARY)) {
                        fired++;
                        detect_arm(DETECTOR_CANARY);
                }
        }
        return fired;
}

static bool pin(int cpu) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        return sched_setaffinity(0, sizeof set, &set) == 0;
}

/* Spins once, and rests a ninth of that, as a runner has to. Returns whether SCHED_FIFO was to be had. */
static bool stretch(int cpu, uint64_t *fired, uint64_t *interrupts) {
        const struct timespec rest = { .tv_nsec = CANARY_STRETCH_NS / 9 };
        uint64_t before = 0, after = 0;
        bool fifo;

        fifo = sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 5 }) == 0;
        interrupts_of(cpu, &before);
        *fired += spin(CANARY_STRETCH_NS);
        interrupts_of(cpu, &after);
        *interrupts += after - before;
        sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){});
        clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
        return fifo;
}

int main(int argc, char **argv) {
        int cpu = argc > 1 ? atoi(argv[1]) : sched_getcpu();
        double seconds = argc > 2 ? atof(argv[2]) : 5;
        uint64_t fired = 0, interrupts = 0, end_ns;
        bool fifo = true;

        if (cpu < 0 || cpu >= CPU_SETSIZE || !(seconds > 0) || !pin(cpu) || !interrupts_of(cpu, &interrupts)) {
                fprintf(stderr, "canary: no CPU %d here, or no /proc/interrupts\n", cpu);
                return 1;
        }
        if (!(detect_test() & DETECTOR_CANARY)) {
                fprintf(stderr, "canary: does not work on this machine\n");
                return 1;
        }
        interrupts = 0;
        end_ns = now_ns() + seconds * 1e9;
        while (now_ns() < end_ns)
                fifo &= stretch(cpu, &fired, &interrupts);
        printf("canary %" PRIu64 " interrupts %" PRIu64 " ratio %.4f%s\n", fired, interrupts,
                        interrupts > 0 ? (double)fired / interrupts : 0, fifo ? "" : ", without SCHED_FIFO");
        return 0;
}
