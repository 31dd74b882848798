/* SPDX-License-Identifier: MIT */
#include "lib/client.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "benchd.pb-c.h"
#include "lib/bridge-command.h"
#include "lib/event.h"
#include "proto/allocator.h"
#include "proto/bridge.h"
#include "proto/frame-queue.h"
#include "proto/frame-reader.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

#define CLIENT_PROTOCOL_VERSION 0u
#define CONFIG_SOCKET           "/run/benchd/benchd.sock"
#define CONFIG_NAME             "libbenchd " BENCHD_VERSION
#define CLIENT_HEARD_MAX        128u
#define CLIENT_RECEIVES_MAX     64u /* of 16 KiB in one dispatch, so that one that floods does not hold off the others */

/* Socket and name are never NULL. */
struct benchd_config {
        char *socket;
        char *name;
        char **command; /* ended by NULL; NULL: the socket is on this machine */
};

/* A connection begins with its first stage, one without a bridge with the second. */
typedef enum ClientStage {
        CLIENT_BRIDGE, /* the bridge is to greet */
        CLIENT_HELLO,  /* the daemon is to answer the greeting */
        CLIENT_READY,
} ClientStage;

typedef struct ClientRequest {
        struct ClientRequest *next;
        uint64_t id;
        json_t *benchmarks; /* a run's, as they complete */
} ClientRequest;

struct benchd_client {
        int fd; /* the command's, if there is one */
        BridgeCommand command;
        ClientStage stage;
        char heard[CLIENT_HEARD_MAX]; /* of the bridge's greeting, or of the words in its place */
        size_t n_heard;
        FrameReader *reader;
        FrameQueue *queue;
        ClientLimits limits;
        uint64_t last_id;
        ClientRequest *requests; /* under way */
        EventList events;
};

DEFINE_CLEANUP(benchd_client *, benchd_client_free)
DEFINE_CLEANUP(benchd_config *, benchd_config_free)

const ClientLimits *client_limits(const benchd_client *client) {
        return &client->limits;
}

/* ---- requests under way */

static ClientRequest *client_request_free(ClientRequest *request) {
        if (!request)
                return NULL;
        json_decref(request->benchmarks);
        free(request);
        return NULL;
}

DEFINE_CLEANUP(ClientRequest *, client_request_free)

static int client_request_new(uint64_t id, const Benchd__Request *of, ClientRequest **ret_request) {
        const bool is_run = of->run || of->wait || of->show;
        _cleanup_(client_request_freep) ClientRequest *request = NULL;

        request = calloc(1, sizeof *request);
        if (!request)
                return error_origin(-ENOMEM);
        request->id = id;
        request->benchmarks = is_run ? json_array() : NULL;
        if (is_run && !request->benchmarks)
                return error_origin(-ENOMEM);
        *ret_request = take_pointer(request);
        return 0;
}

/* The link that holds the request @id; a link that holds NULL if there is none. */
static ClientRequest **client_find_request(benchd_client *client, uint64_t id) {
        ClientRequest **link = &client->requests;

        while (*link && (*link)->id != id)
                link = &(*link)->next;
        return link;
}

static void client_drop_request(ClientRequest **link) {
        ClientRequest *request = *link;

        *link = request->next;
        client_request_free(request);
}

static int client_push(benchd_client *client, const Benchd__Request *request, const int *fds, size_t n_fds) {
        int r;

        r = frame_queue_push(client->queue, &request->base, FRAME_REQUEST_MAX, fds, n_fds);
        if (r == FRAME_E_TOO_LARGE)
                return BENCHD_E_TOO_LARGE;
        if (r == FRAME_E_FULL)
                return BENCHD_E_BUSY;
        return error_fold(r);
}

int client_send(benchd_client *client, Benchd__Request *request, const int *fds, size_t n_fds, uint64_t *ret_id) {
        _cleanup_(client_request_freep) ClientRequest *entry = NULL;
        int r;

        r = client_request_new(client->last_id + 1, request, &entry);
        if (r)
                return error_trace(r);
        request->has_id = true;
        request->id = entry->id;
        r = client_push(client, request, fds, n_fds);
        if (r)
                return error_trace(r);

        client->last_id = entry->id;
        if (ret_id)
                *ret_id = entry->id;
        entry->next = client->requests;
        client->requests = take_pointer(entry);
        return 0;
}

/* ---- replies */

static Benchd__Reply *reply_unpack(const Frame *frame) {
        Allocator budget;

        allocator_init(&budget, ALLOCATOR_MESSAGE_BYTES);
        return benchd__reply__unpack(&budget.allocator, frame->n_data, frame->data);
}

static void reply_freep(Benchd__Reply **reply) {
        if (*reply)
                benchd__reply__free_unpacked(*reply, NULL);
}

static int client_take_reply(benchd_client *client, Benchd__Reply **reply) {
        ClientRequest **link = client_find_request(client, (*reply)->id);
        benchd_event *event;
        bool last = (*reply)->last;
        int r;

        if (!*link && !(*reply)->error)
                return BENCHD_E_PROTOCOL;
        r = event_new(*reply, *link ? (*link)->benchmarks : NULL, &event);
        if (r == EVENT_E_IGNORE)
                return 0;
        if (r == EVENT_E_PROTOCOL)
                return BENCHD_E_PROTOCOL;
        if (r)
                return error_fold(r);

        *reply = NULL;
        event_list_push(&client->events, event);
        if (*link && last)
                client_drop_request(link);
        return 0;
}

static int client_refused(const Benchd__Error *error) {
        switch (error->code) {
        case BENCHD__ERROR__CODE__UNSUPPORTED:
                return BENCHD_E_VERSION;
        case BENCHD__ERROR__CODE__DENIED:
                return BENCHD_E_ACCESS;
        case BENCHD__ERROR__CODE__BUSY:
                return BENCHD_E_BUSY;
        default:
                return BENCHD_E_PROTOCOL;
        }
}

/* The daemon's words are an event, beside the outcome. */
static int client_take_refusal(benchd_client *client, Benchd__Reply **reply) {
        const int refused = client_refused((*reply)->error);
        benchd_event *event;
        int r;

        r = event_new(*reply, NULL, &event);
        if (r < 0)
                return error_trace(r);
        if (r == 0) {
                *reply = NULL;
                event_list_push(&client->events, event);
        }
        return refused;
}

/* The daemon says nothing more until it is asked. */
static int client_take_hello(benchd_client *client, Benchd__Reply **reply) {
        const Benchd__HelloReply *hello = (*reply)->hello;

        if ((*reply)->error)
                return client_take_refusal(client, reply);
        if (!hello)
                return BENCHD_E_PROTOCOL;
        if (hello->protocol_version != CLIENT_PROTOCOL_VERSION)
                return BENCHD_E_VERSION;
        client->limits.module_bytes = hello->module_max_bytes;
        client->limits.libraries = hello->libraries_max;
        client->stage = CLIENT_READY;
        return 0;
}

static int client_take_frame(benchd_client *client, Frame *frame) {
        _cleanup_(reply_freep) Benchd__Reply *reply = NULL;

        frame_close(frame);
        reply = reply_unpack(frame);
        if (!reply)
                return BENCHD_E_PROTOCOL;
        if (client->stage == CLIENT_HELLO)
                return error_trace(client_take_hello(client, &reply));
        return error_trace(client_take_reply(client, &reply));
}

/* Takes what was received so far. */
static int client_take_frames(benchd_client *client) {
        for (;;) {
                Frame frame;
                int r;

                r = frame_reader_pop(client->reader, &frame);
                if (r == FRAME_E_AGAIN)
                        return 0;
                if (r == FRAME_E_MALFORMED)
                        return BENCHD_E_PROTOCOL;
                if (r)
                        return error_fold(r);
                r = client_take_frame(client, &frame);
                if (r)
                        return error_trace(r);
        }
}

/* FRAME_E_* in the terms of the library's caller. */
static int client_fold_frame(int r) {
        if (r == FRAME_E_CLOSED)
                return BENCHD_E_CLOSED;
        if (r == FRAME_E_MALFORMED)
                return BENCHD_E_PROTOCOL;
        return error_fold(r);
}

/* ---- the bridge's greeting */

/* No bridge has answered: keeps the first line of what came that is not empty. */
static int client_hear(benchd_client *client) {
        size_t n, n_blank;

        if (client->n_heard + 1 < sizeof client->heard &&
                        socket_receive_some(client->fd, client->heard + client->n_heard,
                                        sizeof client->heard - 1 - client->n_heard, 0, &n, &(SocketFds){}) == 0)
                client->n_heard += n;
        client->heard[client->n_heard] = '\0';
        n_blank = strspn(client->heard, "\r\n");
        memmove(client->heard, client->heard + n_blank, client->n_heard + 1 - n_blank);
        client->heard[strcspn(client->heard, "\r\n")] = '\0';
        for (char *byte = client->heard; *byte; byte++)
                if (*byte < ' ' || *byte > '~')
                        *byte = '?';
        return strncmp(client->heard, BRIDGE_NAME, strlen(BRIDGE_NAME)) == 0 ? BENCHD_E_VERSION : BENCHD_E_NO_BRIDGE;
}

/* Receives the greeting, and nothing after it. */
static int client_await_bridge(benchd_client *client) {
        while (client->stage == CLIENT_BRIDGE) {
                const size_t n_greeting = strlen(BRIDGE_GREETING);
                SocketFds none;
                size_t n;
                int r;

                r = socket_receive_some(client->fd, client->heard + client->n_heard, n_greeting - client->n_heard, 0,
                                &n, &none);
                if (r == SOCKET_E_AGAIN)
                        return FRAME_E_AGAIN;
                if (r == SOCKET_E_CLOSED)
                        return client->n_heard > 0 ? client_hear(client) : BENCHD_E_BRIDGE_ENDED;
                if (r)
                        return error_fold(r);
                client->n_heard += n;
                if (strncmp(client->heard, BRIDGE_GREETING, client->n_heard) != 0)
                        return client_hear(client);
                if (client->n_heard == n_greeting)
                        client->stage = CLIENT_HELLO;
        }
        return 0;
}

const char *benchd_client_heard(const benchd_client *client) {
        return client->heard;
}

/* ---- dispatching */

/* Ends with the greeting: if the daemon closes right after it, the next dispatch reports that, not the connect. */
static int client_receive(benchd_client *client) {
        const bool greets = !benchd_client_ready(client);

        for (size_t i = 0; i < CLIENT_RECEIVES_MAX; i++) {
                int r;

                r = client_await_bridge(client);
                if (r)
                        return r == FRAME_E_AGAIN ? 0 : error_trace(r);
                r = frame_reader_receive(client->reader, client->fd);
                if (r == FRAME_E_AGAIN)
                        return 0;
                if (r)
                        return client_fold_frame(r);
                r = client_take_frames(client);
                if (r || (greets && benchd_client_ready(client)))
                        return error_trace(r);
        }
        return 0;
}

/* Replies that the daemon sent before it closed are read even if nothing can be sent any more. */
int benchd_client_dispatch(benchd_client *client) {
        int r;

        r = frame_queue_send(client->queue, client->fd);
        if (r && r != FRAME_E_AGAIN && r != FRAME_E_CLOSED)
                return error_fold(r);
        return error_trace(client_receive(client));
}

int benchd_client_fd(benchd_client *client) {
        return client->fd;
}

short benchd_client_poll_events(benchd_client *client) {
        return POLLIN | (frame_queue_pending(client->queue) > 0 ? POLLOUT : 0);
}

benchd_event *benchd_client_pop_event(benchd_client *client) {
        return event_list_pop(&client->events);
}

/* Blocks; the only call of this library that returns -EINTR. */
static int client_wait(benchd_client *client) {
        struct pollfd poll_fd = { .fd = client->fd, .events = benchd_client_poll_events(client) };

        return poll(&poll_fd, 1, -1) < 0 ? -errno : 0;
}

int benchd_client_wait_event(benchd_client *client, benchd_event **ret_event) {
        int r = 0;

        for (;;) {
                benchd_event *event = benchd_client_pop_event(client);

                if (event) {
                        *ret_event = event;
                        return 0;
                }
                if (r)
                        return error_trace(r);
                r = client_wait(client);
                if (r)
                        return r;
                r = benchd_client_dispatch(client);
        }
}

/* ---- connecting */

static int string_replace(char **string, const char *with) {
        char *copy;

        copy = strdup(with);
        if (!copy)
                return error_origin(-ENOMEM);
        free(*string);
        *string = copy;
        return 0;
}

static char **words_free(char **words) {
        for (char **word = words; word && *word; word++)
                free(*word);
        free(words);
        return NULL;
}

DEFINE_CLEANUP(char **, words_free)

int benchd_config_set_command(benchd_config *config, const char *const *argv) {
        _cleanup_(words_freep) char **words = NULL;
        size_t n = 0;

        while (argv[n])
                n++;
        if (n == 0)
                return error_origin(-EINVAL);
        words = calloc(n + 1, sizeof *words);
        if (!words)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                words[i] = strdup(argv[i]);
                if (!words[i])
                        return error_origin(-ENOMEM);
        }
        words_free(config->command);
        config->command = take_pointer(words);
        return 0;
}

int benchd_config_new(benchd_config **ret_config) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        int r;

        config = calloc(1, sizeof *config);
        if (!config)
                return error_origin(-ENOMEM);
        r = benchd_config_set_socket(config, CONFIG_SOCKET);
        if (r)
                return error_trace(r);
        r = benchd_config_set_name(config, CONFIG_NAME);
        if (r)
                return error_trace(r);
        *ret_config = take_pointer(config);
        return 0;
}

benchd_config *benchd_config_free(benchd_config *config) {
        if (!config)
                return NULL;
        words_free(config->command);
        free(config->socket);
        free(config->name);
        free(config);
        return NULL;
}

int benchd_config_set_socket(benchd_config *config, const char *path) {
        return error_trace(string_replace(&config->socket, path));
}

int benchd_config_set_name(benchd_config *config, const char *name) {
        return error_trace(string_replace(&config->name, name));
}

int client_open_socket(const benchd_config *config, int *ret_fd) {
        _cleanup_(fd_closep) int fd = -1;
        int r;

        r = socket_connect(config->socket, &fd);
        if (r == -ENOENT || r == -ECONNREFUSED || r == -ENOTDIR)
                return BENCHD_E_NO_DAEMON;
        if (r == -EACCES || r == -EPERM)
                return BENCHD_E_ACCESS;
        if (r == SOCKET_E_TOO_LONG)
                return error_origin(-ENAMETOOLONG);
        if (r)
                return error_fold(r);
        r = fd_set_nonblock(fd, true);
        if (r)
                return error_trace(r);
        *ret_fd = fd_take(&fd);
        return 0;
}

static int client_connect(benchd_client *client, const benchd_config *config) {
        client->stage = CLIENT_HELLO;
        return error_trace(client_open_socket(config, &client->fd));
}

static int client_start_command(benchd_client *client, char *const *command) {
        int r;

        r = bridge_command_start(command, &client->command);
        if (r)
                return error_trace(r);
        client->fd = client->command.fd;
        frame_queue_set_bridged(client->queue);
        return 0;
}

static int client_send_hello(benchd_client *client, char *name) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__HelloRequest hello = BENCHD__HELLO_REQUEST__INIT;

        request.has_id = true;
        request.id = ++client->last_id;
        request.hello = &hello;
        hello.has_protocol_version = true;
        hello.protocol_version = CLIENT_PROTOCOL_VERSION;
        hello.client = name;
        return error_trace(client_push(client, &request, NULL, 0));
}

int benchd_client_begin(const benchd_config *config, benchd_client **ret_client) {
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;
        int r;

        client = calloc(1, sizeof *client);
        if (!client)
                return error_origin(-ENOMEM);
        client->fd = -1;
        client->command = BRIDGE_COMMAND_NULL;
        event_list_init(&client->events);
        r = frame_reader_new(FRAME_REPLY_MAX, &client->reader);
        if (r)
                return error_trace(r);
        r = frame_queue_new(FRAME_QUEUE_MAX, &client->queue);
        if (r)
                return error_trace(r);

        r = config->command ? client_start_command(client, config->command) : client_connect(client, config);
        if (r)
                return error_trace(r);
        r = client_send_hello(client, config->name);
        if (r)
                return error_trace(r);
        *ret_client = take_pointer(client);
        return 0;
}

bool benchd_client_ready(const benchd_client *client) {
        return client->stage == CLIENT_READY;
}

int benchd_client_new(const benchd_config *config, benchd_client **ret_client) {
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;
        int r;

        r = benchd_client_begin(config, &client);
        if (r)
                return error_trace(r);
        while (!benchd_client_ready(client)) {
                r = client_wait(client);
                if (r)
                        return r;
                r = benchd_client_dispatch(client);
                if (r)
                        return error_trace(r);
        }
        *ret_client = take_pointer(client);
        return 0;
}

void benchd_client_hang_up(benchd_client *client) {
        if (client->command.pid >= 0)
                bridge_command_hang_up(&client->command);
        else
                (void)shutdown(client->fd, SHUT_RDWR);
}

benchd_client *benchd_client_free(benchd_client *client) {
        benchd_event *event;

        if (!client)
                return NULL;
        while ((event = event_list_pop(&client->events)))
                benchd_event_free(event);
        while (client->requests)
                client_drop_request(&client->requests);
        frame_queue_free(client->queue);
        frame_reader_free(client->reader);
        if (client->command.pid >= 0)
                bridge_command_end(&client->command);
        else
                fd_close(client->fd);
        free(client);
        return NULL;
}

/* ---- words for return values; for a negative errno, the C library's */

static const char *const error_strings[] = {
        [BENCHD_E_SUCCESS] = "done",
        [BENCHD_E_NO_DAEMON] = "no daemon listens on the socket",
        [BENCHD_E_ACCESS] = "this user may not open the daemon's socket",
        [BENCHD_E_CLOSED] = "the daemon closed the connection",
        [BENCHD_E_PROTOCOL] = "the daemon violated the protocol",
        [BENCHD_E_VERSION] = "the daemon speaks another version of the protocol",
        [BENCHD_E_BUSY] = "the daemon has as many connections as it accepts of this user, or of all users",
        [BENCHD_E_TOO_LARGE] = "larger than the daemon accepts",
        [BENCHD_E_EMPTY] = "the file is empty",
        [BENCHD_E_LIBRARY] = "a library that the module needs was not found",
        [BENCHD_E_SONAME] = "a library is needed under two names, neither of which is its SONAME",
        [BENCHD_E_TOO_MANY] = "more libraries, filters, variables or inputs than a request can hold",
        [BENCHD_E_BAD_OPTION] = "unknown option, or a value that it does not accept",
        [BENCHD_E_BRIDGE_ENDED] = "the command ended before the bridge reached a daemon",
        [BENCHD_E_NO_BRIDGE] = "the command printed something else than a bridge does",
};

const char *benchd_error_string(int error) {
        const char *words;

        if (error >= 0 && (size_t)error < N_ELEMENTS(error_strings))
                return error_strings[error];
        words = error < 0 ? strerrordesc_np(-error) : NULL;
        return words ? words : "unknown error";
}
