/* SPDX-License-Identifier: MIT */
#include "proto/frame.h"

#include "util/fd.h"

void frame_close(Frame *frame) {
        fds_close_received(frame->fds, frame->n_fds);
        frame->n_fds = 0;
}
