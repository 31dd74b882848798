/* SPDX-License-Identifier: MIT */
#include "proto/bridge-reader.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/bridge.h"
#include "proto/frame.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

/* The stream is read part by part, in this order and again from the first. */
typedef enum BridgePart {
        BRIDGE_COUNT,
        BRIDGE_SIZES,
        BRIDGE_FILES,
        BRIDGE_LENGTH,
        BRIDGE_FRAME,
} BridgePart;

struct BridgeReader {
        BridgePart part;
        uint64_t number; /* the varint that is being read */
        unsigned n_number;
        size_t n_files;
        size_t i_file; /* whose size or bytes come */
        size_t sizes[BRIDGE_FILES_MAX];
        size_t left; /* bytes of the file or the frame that are still to come */
        int fds[BRIDGE_FILES_MAX];
        size_t n_fds;
        uint8_t data[FRAME_HEADER_MAX + FRAME_REQUEST_MAX];
        size_t n_data;
};

static_assert(BRIDGE_VARINT_MAX <= FRAME_HEADER_MAX, "a length of a frame has the bytes of a header");

int bridge_reader_new(BridgeReader **ret_reader) {
        BridgeReader *reader = calloc(1, sizeof *reader);

        if (!reader)
                return error_origin(-ENOMEM);
        *ret_reader = reader;
        return 0;
}

static void reader_forget(BridgeReader *reader) {
        for (size_t i = 0; i < reader->n_fds; i++)
                fd_close(reader->fds[i]);
        reader->n_files = reader->i_file = reader->n_fds = reader->n_data = 0;
}

BridgeReader *bridge_reader_free(BridgeReader *reader) {
        if (reader)
                reader_forget(reader);
        free(reader);
        return NULL;
}

/* Takes a byte of a varint. Returns 0 at its end, E_AGAIN, or E_NUMBER. */
static int reader_take_number(BridgeReader *reader, uint8_t byte) {
        if (reader->n_number == 0)
                reader->number = 0;
        reader->number |= (uint64_t)(byte & 0x7f) << (7 * reader->n_number++);
        if (byte & 0x80)
                return reader->n_number < BRIDGE_VARINT_MAX ? BRIDGE_E_AGAIN : BRIDGE_E_NUMBER;
        reader->n_number = 0;
        return 0;
}

static int reader_begin_file(BridgeReader *reader) {
        int r;

        r = fd_memfd_new("benchd-bridge", &reader->fds[reader->n_fds]);
        if (r)
                return error_trace(r);
        reader->n_fds++;
        reader->left = reader->sizes[reader->i_file];
        return 0;
}

static int reader_take_count(BridgeReader *reader) {
        if (reader->number > BRIDGE_FILES_MAX)
                return BRIDGE_E_FILES;
        reader->n_files = reader->number;
        reader->part = reader->n_files > 0 ? BRIDGE_SIZES : BRIDGE_LENGTH;
        return 0;
}

static int reader_take_size(BridgeReader *reader) {
        if (reader->number == 0)
                return BRIDGE_E_EMPTY;
        if (reader->number > BRIDGE_FILE_MAX)
                return BRIDGE_E_FILE;
        reader->sizes[reader->i_file++] = reader->number;
        if (reader->i_file < reader->n_files)
                return 0;
        reader->i_file = 0;
        reader->part = BRIDGE_FILES;
        return reader_begin_file(reader);
}

static int reader_take_length(BridgeReader *reader) {
        if (reader->number > FRAME_REQUEST_MAX)
                return BRIDGE_E_FRAME;
        reader->left = reader->number;
        reader->part = BRIDGE_FRAME;
        return 0;
}

/* Takes a byte of the numbers. Returns 0 where it was not refused, or as bridge_reader_feed() does. */
static int reader_take_byte(BridgeReader *reader, uint8_t byte) {
        int r;

        if (reader->part == BRIDGE_LENGTH && reader->n_data < FRAME_HEADER_MAX)
                reader->data[reader->n_data++] = byte;
        r = reader_take_number(reader, byte);
        if (r)
                return r == BRIDGE_E_AGAIN ? 0 : r;
        if (reader->part == BRIDGE_COUNT)
                return reader_take_count(reader);
        return reader->part == BRIDGE_SIZES ? reader_take_size(reader) : reader_take_length(reader);
}

static int reader_take_file(BridgeReader *reader, const uint8_t *data, size_t n) {
        const int fd = reader->fds[reader->n_fds - 1];
        int r;

        r = fd_write_all(fd, data, n);
        if (r)
                return error_trace(r);
        reader->left -= n;
        if (reader->left > 0)
                return 0;
        r = fd_seal(fd);
        if (r)
                return error_trace(r);
        if (++reader->i_file < reader->n_files)
                return error_trace(reader_begin_file(reader));
        reader->part = BRIDGE_LENGTH;
        return 0;
}

static void reader_take_frame(BridgeReader *reader, const uint8_t *data, size_t n) {
        memcpy(reader->data + reader->n_data, data, n);
        reader->n_data += n;
        reader->left -= n;
}

static bool reader_is_complete(const BridgeReader *reader) {
        return reader->part == BRIDGE_FRAME && reader->left == 0;
}

int bridge_reader_feed(BridgeReader *reader, const uint8_t *data, size_t n_data, size_t *ret_n_taken,
                BridgeFrame *ret_frame) {
        size_t n_taken = 0;
        int r = 0;

        if (reader_is_complete(reader)) {
                reader_forget(reader);
                reader->part = BRIDGE_COUNT;
        }
        while (n_taken < n_data && !reader_is_complete(reader)) {
                const bool bulk = reader->part == BRIDGE_FILES || reader->part == BRIDGE_FRAME;
                const size_t n = !bulk ? 1 : n_data - n_taken < reader->left ? n_data - n_taken : reader->left;

                if (!bulk)
                        r = reader_take_byte(reader, data[n_taken]);
                else if (reader->part == BRIDGE_FILES)
                        r = reader_take_file(reader, data + n_taken, n);
                else
                        reader_take_frame(reader, data + n_taken, n);
                if (r)
                        return error_trace(r);
                n_taken += n;
        }
        *ret_n_taken = n_taken;
        if (!reader_is_complete(reader))
                return BRIDGE_E_AGAIN;
        *ret_frame = (BridgeFrame){ reader->data, reader->n_data, reader->fds, reader->n_fds };
        return 0;
}
