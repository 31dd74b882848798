/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/process-fds.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "launch/output.h"
#include "launch/ticket.h"
#include "launch/zygote.h"
#include "ops/sample-block.h"
#include "util/error.h"
#include "util/fd.h"

/* A pipe whose end that stays here never blocks. */
static int make_pipe(int *ret_ours, int *ret_theirs, bool ours_reads) {
        int pair[2];

        if (pipe2(pair, O_CLOEXEC) < 0)
                return error_origin(-errno);
        *ret_ours = pair[ours_reads ? 0 : 1];
        *ret_theirs = pair[ours_reads ? 1 : 0];
        return error_trace(fd_set_nonblock(*ret_ours, true));
}

int process_fds_make(const RunnerPlan *plan, ProcessFds *fds, NewbornFds *theirs) {
        int r;

        r = fd_memfd_sealed("benchd-plan", plan, sizeof *plan, &theirs->plan);
        if (r)
                return error_trace(r);
        r = fd_memfd_sized("benchd-block", block_size(plan), &fds->block);
        if (r)
                return error_trace(r);
        r = output_new(&fds->output);
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
        fd_close_received(fds->block); /* as large as the run made them */
        fd_close_received(fds->output);
}

void process_fds_close_newborn(NewbornFds *theirs) {
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

size_t process_fds_gather(const ProcessFds *ours, const NewbornFds *theirs,
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
