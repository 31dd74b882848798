/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/process-fds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/birth/zygote.h"
#include "launch/trust/ticket.h"
#include "ops/block.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

#define OUTPUT_LONG (16 * (off_t)RUNNER_OUTPUT_MAX)

int process_output_new(int *ret_fd) {
        int fd = memfd_create("benchd-output", MFD_CLOEXEC);

        if (fd < 0)
                return error_origin(-errno);
        *ret_fd = fd;
        return 0;
}

/*
 * The end of the output is its file position, not its size: the module may have moved either. Reading a memfd's
 * position takes no lock.
 */
static off_t output_end(int fd) {
        const off_t position = lseek(fd, 0, SEEK_CUR);
        struct stat status;

        if (position < 0 || fstat(fd, &status) < 0)
                return 0;
        return position < status.st_size ? position : status.st_size;
}

bool process_output_is_long(int fd) {
        return output_end(fd) > OUTPUT_LONG;
}

/*
 * The module may print meanwhile. The position is set back first, so that new output follows what is kept; only then is the end read, and
 * the file is cut where the module has got to.
 */
void process_output_trim(int fd) {
        _cleanup_(freep) char *last = malloc(RUNNER_OUTPUT_MAX);
        struct stat before, after;
        off_t end;

        if (!last || fstat(fd, &before) < 0)
                return;
        end = output_end(fd);
        if (end <= OUTPUT_LONG || lseek(fd, RUNNER_OUTPUT_MAX, SEEK_SET) < 0 || fstat(fd, &after) < 0)
                return;
        end += after.st_size > before.st_size ? after.st_size - before.st_size : 0;
        if (pread(fd, last, RUNNER_OUTPUT_MAX, end - RUNNER_OUTPUT_MAX) != RUNNER_OUTPUT_MAX)
                return;
        (void)!pwrite(fd, last, RUNNER_OUTPUT_MAX, 0);
        (void)!ftruncate(fd, lseek(fd, 0, SEEK_CUR));
}

int process_output_settle(int fd, int *ret_settled_fd) {
        const off_t end = output_end(fd), begin = end > (off_t)RUNNER_OUTPUT_MAX ? end - (off_t)RUNNER_OUTPUT_MAX : 0;
        _cleanup_(freep) char *last = malloc(RUNNER_OUTPUT_MAX);
        _cleanup_(fd_closep) int settled_fd = -1;
        ssize_t n;
        int r;

        if (!last)
                return error_origin(-ENOMEM);
        r = process_output_new(&settled_fd);
        if (r)
                return error_trace(r);
        n = pread(fd, last, end - begin, begin);
        if (n < 0)
                return error_origin(-errno);
        if (write(settled_fd, last, n) != n)
                return error_origin(-ENOSPC);
        *ret_settled_fd = fd_take(&settled_fd);
        return 0;
}

/* Makes a pipe whose end in this process never blocks. */
static int make_pipe(int *ret_ours, int *ret_theirs, bool ours_reads) {
        int pair[2];

        if (pipe2(pair, O_CLOEXEC) < 0)
                return error_origin(-errno);
        *ret_ours = pair[ours_reads ? 0 : 1];
        *ret_theirs = pair[ours_reads ? 1 : 0];
        return error_trace(fd_set_nonblock(*ret_ours, true));
}

int process_fds_make(const RunnerPlan *plan, ProcessFds *fds, ProcessNewbornFds *theirs) {
        int r;

        r = fd_memfd_sealed("benchd-plan", plan, sizeof *plan, &theirs->plan);
        if (r)
                return error_trace(r);
        r = fd_memfd_sized("benchd-block", block_size(plan), &fds->block);
        if (r)
                return error_trace(r);
        r = process_output_new(&fds->output);
        if (r)
                return error_trace(r);
        r = make_pipe(&fds->ask, &theirs->ask, true);
        if (r)
                return error_trace(r);
        return error_trace(make_pipe(&fds->answer, &theirs->answer, false));
}

void process_fds_close(ProcessFds *fds) {
        fd_close(fds->ask);
        fd_close(fds->answer);
        fd_close_received(fds->block); /* the run decides how large these are */
        fd_close_received(fds->output);
}

void process_fds_close_newborn(ProcessNewbornFds *theirs) {
        fd_close(theirs->plan);
        fd_close(theirs->ask);
        fd_close(theirs->answer);
}

/* Adds a side's module and libraries to the @n descriptors at @fds; returns how many they are then. */
static size_t gather_side(const Ticket *ticket, int *fds, size_t n) {
        if (!ticket)
                return n;
        fds[n++] = ticket->module_fd;
        for (uint32_t i = 0; i < ticket->n_libraries; i++)
                fds[n++] = ticket->library_fds[i];
        return n;
}

size_t process_fds_gather(const ProcessFds *ours, const ProcessNewbornFds *theirs,
                const Ticket *const tickets[static RUNNER_SIDES_MAX], int *fds) {
        size_t n = ZYGOTE_FD_MODULE;

        fds[ZYGOTE_FD_PLAN] = theirs->plan;
        fds[ZYGOTE_FD_BLOCK] = ours->block;
        fds[ZYGOTE_FD_ASK] = theirs->ask;
        fds[ZYGOTE_FD_ANSWER] = theirs->answer;
        fds[ZYGOTE_FD_OUTPUT] = ours->output;
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                n = gather_side(tickets[i], fds, n);
        for (uint32_t i = 0; tickets[0] && i < tickets[0]->n_inputs; i++)
                fds[n++] = tickets[0]->input_fds[i];
        return n;
}
