/* SPDX-License-Identifier: MIT */

/*
 * A program with a loop of its own around poll(2), and a timer in it. benchd's client is one more descriptor there.
 * poll-loop SOCKET MODULE.so measures a module, prints a line a benchmark, and ticks meanwhile.
 *
 * cc poll-loop.c $(pkg-config --cflags --libs benchd)
 */

#include <benchd/client.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define TICK_NS 10000000

typedef struct Program {
        benchd_client *client;
        benchd_module *module;
        int timer_fd;
        uint64_t ticks;
        bool done;
        int status;
} Program;

static int fail(const char *doing, int error) {
        fprintf(stderr, "poll-loop: %s: %s\n", doing, benchd_error_string(error));
        return EXIT_FAILURE;
}

/* ---- the program's own timer */

static int start_timer(void) {
        const struct itimerspec every = { .it_interval.tv_nsec = TICK_NS, .it_value.tv_nsec = TICK_NS };
        int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

        if (fd >= 0 && timerfd_settime(fd, 0, &every, NULL) == 0)
                return fd;
        perror("poll-loop: timer");
        exit(EXIT_FAILURE);
}

static void on_tick(Program *program) {
        uint64_t n;

        if (read(program->timer_fd, &n, sizeof n) == sizeof n)
                program->ticks += n;
}

/* ---- its use of benchd */

static void on_event(Program *program, const benchd_event *event) {
        switch (benchd_event_type(event)) {
        case BENCHD_EVENT_PROGRESS:
                fprintf(stderr, "%s\n", benchd_event_progress(event)->stage);
                break;
        case BENCHD_EVENT_BENCHMARK:
                printf("benchmark of %zu bytes of JSON\n", strlen(benchd_event_json(event)));
                break;
        case BENCHD_EVENT_ERROR:
                fprintf(stderr, "poll-loop: %s\n", benchd_event_error_message(event));
                program->status = EXIT_FAILURE;
                break;
        default:
                break;
        }
        if (benchd_event_last(event))
                program->done = true;
}

static int on_client(Program *program) {
        benchd_event *event;
        int r;

        r = benchd_client_dispatch(program->client);
        if (r)
                return r;
        while ((event = benchd_client_pop_event(program->client))) {
                on_event(program, event);
                benchd_event_free(event);
        }
        return 0;
}

/* ---- the loop */

static int turn(Program *program) {
        struct pollfd fds[] = {
                { .fd = program->timer_fd, .events = POLLIN },
                { .fd = benchd_client_fd(program->client), .events = benchd_client_poll_events(program->client) },
        };

        if (poll(fds, 2, -1) < 0)
                return 0; /* a signal came */
        if (fds[0].revents)
                on_tick(program);
        return fds[1].revents ? on_client(program) : 0;
}

static int measure(Program *program, const char *path) {
        int r;

        r = benchd_module_new(&program->module);
        if (r == 0)
                r = benchd_module_open(program->module, path);
        if (r)
                return fail(path, r);
        r = benchd_client_run(program->client, program->module, NULL, NULL);
        while (r == 0 && !program->done)
                r = turn(program);
        return r ? fail("benchd", r) : program->status;
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

int main(int argc, char **argv) {
        Program program = { .timer_fd = -1 };
        int r;

        if (argc != 3) {
                fprintf(stderr, "poll-loop SOCKET MODULE.so\n");
                return 2;
        }
        r = connect_to(argv[1], &program.client);
        if (r)
                return fail(argv[1], r);
        program.timer_fd = start_timer();
        program.status = measure(&program, argv[2]);
        printf("%" PRIu64 " ticks meanwhile\n", program.ticks);
        benchd_module_free(program.module);
        benchd_client_free(program.client);
        close(program.timer_fd);
        return program.status;
}
