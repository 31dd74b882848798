/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame-mutator.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "proto/frame.h"
#include "util/cleanup.h"

#define FRAMES_MAX     64u
#define TEXT_GROWS_MAX 64u
#define BYTES_ONE_IN   5u /* mutations are of the bytes */
#define ORDER_ONE_IN   8u /* of the others are of the order of the messages */
#define LONG_TEXT      5000u

typedef struct Span {
        const uint8_t *data;
        size_t n;
} Span;

/* ---- chance */

static uint64_t chance;

static uint64_t draw(uint64_t below) {
        uint64_t z = chance += 0x9e3779b97f4a7c15;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return (z ^ (z >> 31)) % below;
}

static bool one_in(unsigned n) {
        return draw(n) == 0;
}

/* ---- one value */

static uint64_t odd_number(uint64_t was) {
        static const uint64_t odd[] = { 0, 1, 2, 63, 64, 127, 128, 255, 256, 4095, 4096, 65535, 65536, INT32_MAX,
                0x80000000, UINT32_MAX, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX };

        switch (draw(4)) {
        case 0:
                return was + draw(17) - 8;
        case 1:
                return was ^ 1ull << draw(64);
        case 2:
                return chance;
        default:
                return odd[draw(N_ELEMENTS(odd))];
        }
}

static uint64_t odd_double(void) {
        static const double odd[] = { 0.0, -0.0, 1e-320, 1e-9, 0.5, 1, -1, 1e9, 1e18, 1.8e19, 1e300, INFINITY,
                -INFINITY, NAN };
        uint64_t word;

        memcpy(&word, &odd[draw(N_ELEMENTS(odd))], sizeof word);
        return word;
}

static char *text_of(Span span) {
        char *text = strndup((const char *)span.data, span.n);

        HOLD(text);
        return text;
}

static char *long_text(void) {
        char *text = calloc(1, LONG_TEXT + 1);

        HOLD(text);
        memset(text, 'a' + (int)draw(26), LONG_TEXT);
        return text;
}

static char *changed_text(const char *was) {
        size_t n = was ? strlen(was) : 0;
        uint8_t *buffer = calloc(1, n + TEXT_GROWS_MAX);
        char *text;

        HOLD(buffer);
        memcpy(buffer, was ? was : "", n);
        n = LLVMFuzzerMutate(buffer, n, n + TEXT_GROWS_MAX);
        text = text_of((Span){ buffer, n });
        free(buffer);
        return text;
}

static char *odd_text(const char *was) {
        static const char *const odd[] = { "", "*", "!*", "*[[:alnum:]]*z", "[", "a/b/n=1..8", "n=18446744073709551616",
                "../x", "%s%n", "\033[2J", "\xe2\x80\xae", "\xff\xfe", "NAME=value", "benchd", "measureit",
                "performance", "0123456789abcdef" };

        if (one_in(2))
                return changed_text(was);
        if (one_in(16))
                return long_text();
        was = odd[draw(N_ELEMENTS(odd))];
        return text_of((Span){ (const uint8_t *)was, strlen(was) });
}

static size_t member_size(const ProtobufCFieldDescriptor *field) {
        switch (field->type) {
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_SINT64:
        case PROTOBUF_C_TYPE_SFIXED64:
        case PROTOBUF_C_TYPE_UINT64:
        case PROTOBUF_C_TYPE_FIXED64:
        case PROTOBUF_C_TYPE_DOUBLE:
        case PROTOBUF_C_TYPE_STRING:
        case PROTOBUF_C_TYPE_MESSAGE:
                return sizeof(uint64_t);
        default:
                return sizeof(uint32_t);
        }
}

static ProtobufCMessage *message_new(const ProtobufCMessageDescriptor *descriptor) {
        ProtobufCMessage *message = calloc(1, descriptor->sizeof_message);

        HOLD(message);
        protobuf_c_message_init(descriptor, message);
        return message;
}

static void member_clear(const ProtobufCFieldDescriptor *field, void *member) {
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && *(void **)member)
                protobuf_c_message_free_unpacked(*(ProtobufCMessage **)member, NULL);
        if (field->type == PROTOBUF_C_TYPE_STRING && *(void **)member != field->default_value)
                free(*(char **)member);
        memset(member, 0, member_size(field));
}

static void mutate_message(ProtobufCMessage *message);

static void change_message(const ProtobufCFieldDescriptor *field, ProtobufCMessage **message) {
        if (*message)
                mutate_message(*message);
        else
                *message = message_new(field->descriptor);
}

static void change_text(const ProtobufCFieldDescriptor *field, char **text) {
        char *changed = odd_text(*text);

        member_clear(field, text);
        *text = changed;
}

/* Changes the value of @member, or gives it one. */
static void member_change(const ProtobufCFieldDescriptor *field, void *member) {
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
                change_message(field, member);
        else if (field->type == PROTOBUF_C_TYPE_STRING)
                change_text(field, member);
        else if (field->type == PROTOBUF_C_TYPE_DOUBLE && one_in(2))
                *(uint64_t *)member = odd_double();
        else if (member_size(field) == sizeof(uint64_t))
                *(uint64_t *)member = odd_number(*(uint64_t *)member);
        else
                *(uint32_t *)member = (uint32_t)odd_number(*(uint32_t *)member);
}

/* ---- one field */

static void *at(ProtobufCMessage *message, unsigned offset) {
        return (char *)message + offset;
}

static bool is_set(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
                return *(size_t *)at(message, field->quantifier_offset) > 0;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING)
                return *(void **)at(message, field->offset) != NULL;
        return field->label == PROTOBUF_C_LABEL_REQUIRED ||
               *(protobuf_c_boolean *)at(message, field->quantifier_offset);
}

static void mutate_single(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
        void *member = at(message, field->offset);
        bool has_flag = field->label == PROTOBUF_C_LABEL_OPTIONAL && field->type != PROTOBUF_C_TYPE_MESSAGE &&
                        field->type != PROTOBUF_C_TYPE_STRING;
        bool drops = field->label == PROTOBUF_C_LABEL_OPTIONAL && is_set(message, field) && one_in(6);

        if (drops)
                member_clear(field, member);
        else
                member_change(field, member);
        if (has_flag)
                *(protobuf_c_boolean *)at(message, field->quantifier_offset) = !drops;
}

static void list_append(const ProtobufCFieldDescriptor *field, char **list, size_t *n) {
        size_t size = member_size(field);

        *list = realloc(*list, (*n + 1) * size);
        HOLD(*list);
        memset(*list + *n * size, 0, size);
        member_change(field, *list + *n * size);
        *n += 1;
}

static void mutate_list(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field) {
        size_t *n = at(message, field->quantifier_offset), size = member_size(field), i;
        char **list = at(message, field->offset);
        uint64_t swapped;

        if (*n == 0 || one_in(3)) {
                for (size_t times = one_in(8) ? 1 + draw(70) : 1; times > 0; times--)
                        list_append(field, list, n);
                return;
        }
        i = draw(*n);
        switch (draw(4)) {
        case 0: /* one less */
                member_clear(field, *list + i * size);
                *n -= 1;
                memmove(*list + i * size, *list + (i + 1) * size, (*n - i) * size);
                return;
        case 1: /* in another order */
                memcpy(&swapped, *list, size);
                memmove(*list, *list + i * size, size);
                memcpy(*list + i * size, &swapped, size);
                return;
        default:
                member_change(field, *list + i * size);
        }
}

/* A field of @message: three times in four one that is set, if there is one. */
static const ProtobufCFieldDescriptor *choose_field(ProtobufCMessage *message) {
        const ProtobufCMessageDescriptor *descriptor = message->descriptor;
        const ProtobufCFieldDescriptor *chosen = &descriptor->fields[draw(descriptor->n_fields)];
        unsigned n = 0;

        if (one_in(4))
                return chosen;
        for (unsigned i = 0; i < descriptor->n_fields; i++)
                if (is_set(message, &descriptor->fields[i]) && draw(++n) == 0)
                        chosen = &descriptor->fields[i];
        return chosen;
}

static void mutate_message(ProtobufCMessage *message) {
        const ProtobufCFieldDescriptor *field;

        if (message->descriptor->n_fields == 0)
                return;
        field = choose_field(message);
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
                mutate_list(message, field);
        else
                mutate_single(message, field);
}

/* ---- the stream */

/* The messages of @data, up to the first that is not whole. */
static size_t split(const uint8_t *data, size_t n_data, Span *ret_frames) {
        size_t n_frames = 0, i = 0;

        while (i < n_data && n_frames < FRAMES_MAX) {
                uint64_t n = 0;
                unsigned shift = 0;

                while (i < n_data && data[i] & 0x80 && shift < 28) {
                        n |= (uint64_t)(data[i++] & 0x7f) << shift;
                        shift += 7;
                }
                if (i == n_data)
                        break;
                n |= (uint64_t)(data[i++] & 0x7f) << shift;
                if (n > n_data - i)
                        break;
                ret_frames[n_frames++] = (Span){ data + i, n };
                i += n;
        }
        return n_frames;
}

/* Returns the number of bytes; 0 where they are more than @n_max. */
static size_t join(const Span *frames, size_t n_frames, uint8_t *out, size_t n_max) {
        size_t n = 0;

        for (size_t i = 0; i < n_frames; i++) {
                size_t length = frames[i].n;

                if (n + FRAME_HEADER_MAX + length > n_max)
                        return 0;
                for (; length >= 0x80; length >>= 7)
                        out[n++] = (uint8_t)(length & 0x7f) | 0x80;
                out[n++] = (uint8_t)length;
                if (frames[i].n > 0)
                        memcpy(out + n, frames[i].data, frames[i].n);
                n += frames[i].n;
        }
        return n;
}

static size_t mutate_order(Span *frames, size_t n_frames) {
        size_t i = draw(n_frames), j = draw(n_frames);
        Span swapped = frames[i];

        switch (draw(3)) {
        case 0:
                frames[i] = frames[j];
                frames[j] = swapped;
                return n_frames;
        case 1: /* once more */
                if (n_frames == FRAMES_MAX)
                        return n_frames;
                frames[n_frames] = swapped;
                return n_frames + 1;
        default:
                frames[i] = frames[n_frames - 1];
                return n_frames - 1;
        }
}

/* Changes the message in @frame. Its bytes are the caller's to free; NULL where it is no message. */
static uint8_t *mutate_frame(Span *frame, const ProtobufCMessageDescriptor *descriptor) {
        ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, NULL, frame->n, frame->data);
        uint8_t *data;

        if (!message)
                return NULL;
        mutate_message(message);
        frame->n = protobuf_c_message_get_packed_size(message);
        data = malloc(frame->n + 1);
        HOLD(data);
        protobuf_c_message_pack(message, data);
        frame->data = data;
        protobuf_c_message_free_unpacked(message, NULL);
        return data;
}

size_t frame_mutate(uint8_t *data, size_t n_data, size_t n_max, unsigned seed,
                const ProtobufCMessageDescriptor *descriptor) {
        Span frames[FRAMES_MAX] = {};
        uint8_t *changed = NULL, *joined;
        size_t n_frames, n = 0;

        chance = seed;
        n_frames = split(data, n_data, frames);
        if (n_frames == 0 || one_in(BYTES_ONE_IN))
                return LLVMFuzzerMutate(data, n_data, n_max);
        if (one_in(ORDER_ONE_IN))
                n_frames = mutate_order(frames, n_frames);
        else
                changed = mutate_frame(&frames[draw(n_frames)], descriptor);
        joined = malloc(n_max + 1);
        HOLD(joined);
        n = join(frames, n_frames, joined, n_max);
        memcpy(data, joined, n);
        free(joined);
        free(changed);
        return n > 0 ? n : LLVMFuzzerMutate(data, n_data, n_max);
}
