/* SPDX-License-Identifier: MIT */

/*
 * A program that times its own code, with the clock that benchd has calibrated: it asks the daemon once for the clock's
 * frequency, and reads the clock with bench_timer_*() from then on. It submits nothing; the daemon measures nothing.
 *
 * self-timed SOCKET sorts an array with a pause in each round, and prints the time with the clock's error.
 *
 * cc -O2 self-timed.c $(pkg-config --cflags --libs benchd)
 */

#define BENCH_NO_MODULE /* no benchmark is defined here: only the timer of bench.h is used */
#include <benchd/bench.h>
#include <benchd/client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS   50u
#define NUMBERS  10000u
#define ATTEMPTS 50u /* a daemon that has just started is still calibrating, which takes less than a second */

/* The part of the status that the program keeps. */
typedef struct Clock {
        bench_clock *read; /* NULL: the time-stamp counter */
        double hz;
        double error_ppm;
        double quantum_ticks;
        double pair_cost_ticks;
        char name[32];
} Clock;

static uint64_t raw_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int fail(const char *doing, int error) {
        fprintf(stderr, "self-timed: %s: %s\n", doing, benchd_error_string(error));
        return EXIT_FAILURE;
}

/* ---- the clock, from the daemon */

static void take_clock(const benchd_clock *told, Clock *clock) {
        clock->read = strcmp(told->name, "tsc") == 0 ? NULL : raw_ns;
        clock->hz = told->hz;
        clock->error_ppm = told->error_ppm;
        clock->quantum_ticks = told->quantum_ticks;
        clock->pair_cost_ticks = told->pair_cost_ticks;
        snprintf(clock->name, sizeof clock->name, "%s", told->name);
}

/* Asks once. The clock's hz stays 0 until the daemon knows it. */
static int ask_clock(benchd_client *client, Clock *clock) {
        benchd_event *event = NULL;
        int r;

        r = benchd_client_status(client, NULL);
        if (r == 0)
                r = benchd_client_wait_event(client, &event);
        if (r)
                return r;
        if (benchd_event_clock(event))
                take_clock(benchd_event_clock(event), clock);
        benchd_event_free(event);
        return 0;
}

static int learn_clock(benchd_client *client, Clock *clock) {
        const struct timespec pause = { .tv_nsec = 100000000 };
        int r = 0;

        for (unsigned i = 0; r == 0 && clock->hz == 0 && i < ATTEMPTS; i++) {
                if (i > 0)
                        nanosleep(&pause, NULL);
                r = ask_clock(client, clock);
        }
        return r;
}

static int connect_to(const char *socket, benchd_client **ret_client) {
        benchd_config *config = NULL;
        int r;

        r = benchd_config_new(&config);
        if (r == 0)
                r = benchd_config_set_socket(config, socket);
        if (r == 0)
                r = benchd_client_new(config, ret_client);
        benchd_config_free(config);
        return r;
}

/* ---- the program's own work */

static int compare(const void *a, const void *b) {
        return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static void shuffle(int *numbers) {
        for (size_t i = 0; i < NUMBERS; i++)
                numbers[i] = rand();
}

/* The ticks of ROUNDS sorts, without the shuffling between them; a start or a resume, with its pause, is in each. */
static uint64_t time_sorting(const Clock *clock, int *numbers) {
        bench_timer timer;

        bench_timer_start_by(&timer, clock->read);
        for (unsigned i = 0; i < ROUNDS; i++) {
                bench_timer_pause(&timer);
                shuffle(numbers);
                bench_timer_resume(&timer);
                qsort(numbers, NUMBERS, sizeof *numbers, compare);
        }
        bench_timer_pause(&timer);
        return bench_timer_check(&timer);
}

/* The clock's own cost is taken off; the error of the rest comes from its step and its frequency. */
static void print_time(const Clock *clock, uint64_t ticks) {
        double ns = ((double)ticks - (ROUNDS + 1) * clock->pair_cost_ticks) / clock->hz * 1e9;
        double step_ns = (ROUNDS + 1) * clock->quantum_ticks / clock->hz * 1e9;

        printf("%.0f ns a sort, ± %.2g ns by the clock's step and %.2g ppm by its rate (%s, %.6f GHz)\n", ns / ROUNDS,
                        step_ns / ROUNDS, clock->error_ppm, clock->name, clock->hz / 1e9);
}

int main(int argc, char **argv) {
        static int numbers[NUMBERS];
        benchd_client *client = NULL;
        Clock clock = { 0 };
        int r;

        if (argc != 2) {
                fprintf(stderr, "self-timed SOCKET\n");
                return 2;
        }
        r = connect_to(argv[1], &client);
        if (r)
                return fail(argv[1], r);
        r = learn_clock(client, &clock);
        benchd_client_free(client);
        if (r)
                return fail("status", r);
        if (clock.hz == 0) {
                fprintf(stderr, "self-timed: the daemon has no clock to tell of\n");
                return EXIT_FAILURE;
        }
        print_time(&clock, time_sorting(&clock, numbers));
        return EXIT_SUCCESS;
}
