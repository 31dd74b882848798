/* SPDX-License-Identifier: MIT */
#include "util/text-stream.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/error.h"

FILE *text_stream_open(TextStream *stream) {
        stream->out = open_memstream(&stream->text, &stream->n);
        return stream->out ? stream->out : stdin; /* which is for reading, so that each write to it fails */
}

int text_stream_close(TextStream *stream) {
        FILE *out = take_pointer(stream->out);

        return out && fclose(out) == 0 ? 0 : error_origin(-ENOMEM);
}

char *text_stream_take(TextStream *stream) {
        return text_stream_close(stream) == 0 ? take_pointer(stream->text) : NULL;
}

void text_stream_clear(TextStream *stream) {
        if (stream->out)
                fclose(stream->out);
        free(stream->text);
        *stream = (TextStream){};
}
