/* SPDX-License-Identifier: MIT */

/*
 * The far end of a bridge: a client's bytes to the daemon on this machine, with its files as descriptors, and the daemon's bytes back.
 */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "lib/client.h"
#include "proto/bridge-reader.h"
#include "proto/bridge.h"
#include "proto/frame.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

#define CHUNK (64u << 10)

typedef struct Bridge {
        int input, output, daemon;
        BridgeReader *reader;
        uint8_t up[CHUNK]; /* from the client, from @up_start to before @up_end */
        size_t up_start, up_end;
        BridgeFrame frame; /* that the daemon is to take; n_data 0: none */
        size_t n_sent;
        uint8_t down[CHUNK]; /* from the daemon */
        size_t down_start, down_end;
        bool client_ended, daemon_ended;
        bool daemon_deaf; /* it reads no more, but its last output is still to be passed on */
} Bridge;

/* ---- from the client to the daemon */

/* BRIDGE_E_* in the terms of the library's caller. */
static int bridge_fold(int r) {
        switch (r) {
        case BRIDGE_E_FILES:
                return BENCHD_E_TOO_MANY;
        case BRIDGE_E_FILE:
                return BENCHD_E_TOO_LARGE;
        case BRIDGE_E_EMPTY:
                return BENCHD_E_EMPTY;
        case BRIDGE_E_FRAME:
        case BRIDGE_E_NUMBER:
                return BENCHD_E_PROTOCOL;
        default:
                return error_fold(r);
        }
}

/* Reads on in what came until there is a frame for the daemon; if nothing did, the reader lets go of the frame before and its files. */
static int bridge_find_frame(Bridge *bridge) {
        do {
                size_t n_taken;
                int r;

                r = bridge_reader_feed(bridge->reader, bridge->up + bridge->up_start, bridge->up_end - bridge->up_start,
                                &n_taken, &bridge->frame);
                if (r && r != BRIDGE_E_AGAIN)
                        return bridge_fold(r);
                bridge->up_start += n_taken;
        } while (bridge->frame.n_data == 0 && bridge->up_start < bridge->up_end);
        return 0;
}

/* Returns the outcome of a read(): how many bytes, 0 at the end, which a hang-up is too. */
static int read_some(int fd, uint8_t *data, size_t *ret_n) {
        ssize_t n;

        do
                n = read(fd, data, CHUNK);
        while (n < 0 && errno == EINTR);
        if (n < 0 && errno != ECONNRESET && errno != EIO)
                return error_origin(-errno);
        *ret_n = n > 0 ? (size_t)n : 0;
        return 0;
}

static int bridge_read_client(Bridge *bridge) {
        int r;

        bridge->up_start = 0;
        r = read_some(bridge->input, bridge->up, &bridge->up_end);
        if (r)
                return error_trace(r);
        bridge->client_ended = bridge->up_end == 0;
        return bridge_find_frame(bridge);
}

/* The files go with the first byte of their frame. */
static int bridge_send_frame(Bridge *bridge) {
        const size_t n_fds = bridge->n_sent == 0 ? bridge->frame.n_fds : 0;
        size_t n;
        int r;

        r = socket_send(bridge->daemon, bridge->frame.data + bridge->n_sent, bridge->frame.n_data - bridge->n_sent,
                        bridge->frame.fds, n_fds, &n);
        if (r == SOCKET_E_AGAIN)
                return 0;
        if (r == SOCKET_E_CLOSED) {
                bridge->frame.n_data = 0;
                bridge->daemon_deaf = true;
                return 0;
        }
        if (r)
                return error_fold(r);
        bridge->n_sent += n;
        if (bridge->n_sent < bridge->frame.n_data)
                return 0;
        bridge->n_sent = bridge->frame.n_data = 0;
        return bridge_find_frame(bridge);
}

/* ---- from the daemon to the client */

static int bridge_read_daemon(Bridge *bridge) {
        size_t n = 0;
        int r;

        r = read_some(bridge->daemon, bridge->down, &n);
        if (r)
                return error_trace(r);
        bridge->down_start = 0;
        bridge->down_end = n;
        bridge->daemon_ended = n == 0;
        return 0;
}

/* A pipe that poll() finds ready takes PIPE_BUF bytes without waiting. A client that is gone is as one that hung up. */
static void bridge_write_client(Bridge *bridge) {
        const size_t left = bridge->down_end - bridge->down_start;
        const ssize_t n = write(bridge->output, bridge->down + bridge->down_start, left < PIPE_BUF ? left : PIPE_BUF);

        if (n < 0 && errno != EINTR && errno != EAGAIN) {
                bridge->down_end = bridge->down_start;
                bridge->daemon_ended = true;
        }
        bridge->down_start += n > 0 ? (size_t)n : 0;
}

/* ---- both */

/*
 * Waits until one side can go on. Does not read from a side before its last bytes are passed on, nor wait for a side whose bytes cannot be
 * passed on.
 */
static int bridge_turn(Bridge *bridge) {
        const bool has_frame = bridge->frame.n_data > 0, has_down = bridge->down_start < bridge->down_end;
        const bool reads = !has_frame && !bridge->daemon_deaf, hears = !has_down && !bridge->daemon_ended;
        struct pollfd fds[] = {
                { .fd = reads ? bridge->input : -1, .events = POLLIN },
                { .fd = has_down ? bridge->output : -1, .events = POLLOUT },
                { .fd = has_frame || hears ? bridge->daemon : -1,
                                .events = (has_frame ? POLLOUT : 0) | (hears ? POLLIN : 0) },
        };
        int r = 0;

        if (poll(fds, N_ELEMENTS(fds), -1) < 0)
                return errno == EINTR ? 0 : error_origin(-errno);
        if (fds[0].revents)
                r = bridge_read_client(bridge);
        if (r == 0 && fds[1].revents)
                bridge_write_client(bridge);
        if (r == 0 && hears && fds[2].revents & (POLLIN | POLLHUP | POLLERR))
                r = bridge_read_daemon(bridge);
        if (r == 0 && has_frame && fds[2].revents & (POLLOUT | POLLHUP | POLLERR))
                r = bridge_send_frame(bridge);
        return r;
}

/* A client's hang-up is that of its connection, once the daemon has all that was sent before. */
static bool bridge_is_over(const Bridge *bridge) {
        if (bridge->client_ended && bridge->frame.n_data == 0)
                return true;
        return bridge->daemon_ended && bridge->down_start == bridge->down_end;
}

int benchd_bridge(const benchd_config *config, int input, int output) {
        _cleanup_(bridge_reader_freep) BridgeReader *reader = NULL;
        _cleanup_(fd_closep) int daemon = -1;
        Bridge bridge = { .input = input, .output = output };
        int r;

        r = client_open_socket(config, &daemon);
        if (r == 0)
                r = bridge_reader_new(&reader);
        if (r)
                return error_trace(r);
        bridge.daemon = daemon;
        bridge.reader = reader;
        bridge.down_end = strlen(BRIDGE_GREETING);
        memcpy(bridge.down, BRIDGE_GREETING, bridge.down_end);
        while (r == 0 && !bridge_is_over(&bridge))
                r = bridge_turn(&bridge);
        return r;
}
