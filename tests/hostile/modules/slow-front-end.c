/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A front-end gone bad, in the place of benchd: sends the launcher the file that BENCHD_SLOW_FILE names in each question that comes with
 * descriptors, and tells of each answer. Between two of them it asks for what takes none.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ops/ops.h"
#include "ops/record-queue.h"
#include "util/cleanup.h"

#define LAUNCH_FD 4 /* launch/front.c */

static OpsRecord record;
static OpsPacket answer;

static void ask(OpsKind kind, int fd) {
        static uint64_t serial;
        int fds[] = { fd, fd };

        record = (OpsRecord){ .kind = kind, .serial = ++serial };
        if (ops_send(LAUNCH_FD, &record, fds, ops_count_fds(&record)) != 0)
                exit(1);
        do {
                if (ops_receive(LAUNCH_FD, &answer) != 0)
                        exit(1);
                ops_packet_close(&answer);
        } while (answer.record.serial != serial);
        dprintf(STDERR_FILENO, "asked %d: answered %d, %d\n", (int)kind, (int)answer.record.kind,
                        answer.record.kind == OPS_REFUSED ? (int)answer.record.refused.reason : 0);
}

int main(void) {
        static const OpsKind kinds[] = { OPS_VOUCH, OPS_TICKET_OPEN, OPS_PEER };
        const int fd = open(getenv("BENCHD_SLOW_FILE"), O_RDONLY | O_CLOEXEC);

        char build[BUILD_TEXT_MAX];

        if (fd < 0 || record_greeting_send(LAUNCH_FD) || record_greeting_receive(LAUNCH_FD, build))
                return 1;
        record = (OpsRecord){ .kind = OPS_READY, .serial = 1 };
        ops_send(LAUNCH_FD, &record, NULL, 0);
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                ask(kinds[i], fd);
                ask(OPS_REFINE, -1);
        }
        dprintf(STDERR_FILENO, "sent all\n");
        for (;;)
                pause();
}
