/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * All of libbenchd against a daemon that says anything, in pieces: its greeting, then replies to one request of each kind. A client
 * ends with an outcome, its events can be read, and no descriptor stays open.
 *
 * The input is its seed, a byte, and the stream. With an odd seed the stream begins with the greeting.
 */

#include <sys/socket.h>

#include "benchd.pb-c.h"
#include "benchd/client.h"
#include "frame-mutator.h"
#include "fuzz.h"
#include "util/cleanup.h"

#define PIECE_MAX 499u

int __wrap_socket_connect(const char *path, int *ret_fd);

DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_client *, benchd_client_free)

/* What the daemon says. */
static struct Daemon {
        const uint8_t *data;
        size_t n_data;
        bool says_hello;
        int fd;
} said;

static bool say(const uint8_t *data, size_t n_data) {
        ssize_t n = n_data > 0 ? send(said.fd, data, n_data, MSG_NOSIGNAL) : 0;

        HOLD(n >= 0);
        return (size_t)n == n_data;
}

static void say_hello(void) {
        Benchd__HelloReply hello = BENCHD__HELLO_REPLY__INIT;
        Benchd__Reply reply = BENCHD__REPLY__INIT;
        uint8_t frame[64];

        hello.has_protocol_version = hello.has_module_max_bytes = hello.has_libraries_max = true;
        hello.module_max_bytes = 1 << 20;
        hello.libraries_max = 16;
        reply.has_id = reply.has_last = reply.last = true;
        reply.id = 1;
        reply.hello = &hello;
        frame[0] = (uint8_t)benchd__reply__pack(&reply, frame + 1);
        HOLD(say(frame, 1u + frame[0]));
}

/* Who connects finds the greeting there already; one that is made up is all that is ever said. */
int __wrap_socket_connect(const char *path, int *ret_fd) {
        int pair[2];

        HOLD(path[0] && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
        said.fd = pair[0];
        if (said.says_hello) {
                say_hello();
        } else {
                (void)say(said.data, said.n_data < 65536 ? said.n_data : 65536);
                HOLD(shutdown(said.fd, SHUT_WR) == 0);
        }
        *ret_fd = pair[1];
        return 0;
}

static void ask_all(benchd_client *client) {
        static const char job[] = "0123456789abcdef0123456789abcdef";
        uint64_t id;

        HOLD(benchd_client_wait(client, job, &id) == 0);
        HOLD(benchd_client_show(client, job, &id) == 0);
        HOLD(benchd_client_status(client, &id) == 0);
        HOLD(benchd_client_cancel(client, 2, &id) == 0);
        HOLD(benchd_client_cancel_job(client, job, &id) == 0);
        HOLD(benchd_client_pin(client, job, true, &id) == 0);
        HOLD(benchd_client_history(client, NULL, &id) == 0);
        HOLD(benchd_client_set_governor(client, "performance", NULL, 0, &id) == 0);
}

static void hold_is_text(const char *text) {
        HOLD(!text || strlen(text) < (size_t)64 << 20);
}

static void read_event(const benchd_event *event) {
        HOLD(benchd_event_type(event) > 0);
        (void)benchd_event_request(event);
        (void)benchd_event_last(event);
        hold_is_text(benchd_event_error_code(event));
        hold_is_text(benchd_event_error_message(event));
        hold_is_text(benchd_event_error_hint(event));
        hold_is_text(benchd_event_error_failure(event));
        hold_is_text(benchd_event_error_output(event));
        hold_is_text(benchd_event_run_id(event));
        hold_is_text(benchd_event_json(event));
        (void)benchd_event_progress(event);
        (void)benchd_event_clock(event);
}

static void read_events(benchd_client *client) {
        benchd_event *event;

        while ((event = benchd_client_pop_event(client))) {
                read_event(event);
                benchd_event_free(event);
        }
}

/* Says it all, piece by piece; the client reads each. */
static void converse(benchd_client *client, uint64_t chance) {
        size_t n;
        int r = 0;

        ask_all(client);
        for (size_t i = 0; r == 0 && i < said.n_data; i += n) {
                chance = chance * 6364136223846793005u + 1442695040888963407u;
                n = 1 + (chance >> 33) % PIECE_MAX;
                n = n < said.n_data - i ? n : said.n_data - i;
                HOLD(say(said.data + i, n));
                r = benchd_client_dispatch(client);
                read_events(client);
        }
        HOLD(shutdown(said.fd, SHUT_WR) == 0);
        HOLD(r || benchd_client_dispatch(client) == BENCHD_E_CLOSED);
        read_events(client);
}

/* The number that the next descriptor gets, which tells of any that stays open. */
static int next_fd(void) {
        int fd = fcntl(0, F_DUPFD_CLOEXEC, 0);

        HOLD(fd >= 0);
        close(fd);
        return fd;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_data, size_t n_max, unsigned seed) {
        if (n_data < 2 || seed % 16 == 0)
                return LLVMFuzzerMutate(data, n_data, n_max);
        return 1 + frame_mutate(data + 1, n_data - 1, n_max - 1, seed, &benchd__reply__descriptor);
}

static void connect_and_converse(uint8_t chance) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;

        HOLD(benchd_config_new(&config) == 0);
        if (benchd_client_new(config, &client) == 0 && said.says_hello)
                converse(client, chance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        int next = next_fd();

        if (n_data == 0)
                return 0;
        said = (struct Daemon){ data + 1, n_data - 1, .says_hello = !(data[0] & 1) };
        connect_and_converse(data[0]);
        close(said.fd);
        HOLD(next_fd() == next);
        return 0;
}
