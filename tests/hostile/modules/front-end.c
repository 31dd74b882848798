/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A front-end gone bad, in the place of benchd: sends the launcher records of its own making, right in form, some with descriptors of every
 * kind that are no client's and no module's, and tells how many went out. BENCHD_SEED chooses them.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ops/ops.h"
#include "ops/record-queue.h"

#define LAUNCH_FD 4 /* launch/front.c */
#define RECORDS   7000
#define FDS_MAX   3

static unsigned long long chance;

static unsigned draw(unsigned below) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        return (chance >> 33) % below;
}

static int some_fd(void) {
        int pair[2] = { -1, -1 };

        switch (draw(6)) {
        case 0:
                return memfd_create("unsealed", MFD_CLOEXEC);
        case 1:
                return open("/dev/zero", O_RDONLY | O_CLOEXEC);
        case 2:
                return open("/", O_PATH | O_CLOEXEC);
        case 3:
                return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        case 4:
                (void)!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
                close(pair[1]);
                return pair[0];
        default:
                (void)!pipe2(pair, O_CLOEXEC);
                close(pair[1]);
                return pair[0];
        }
}

/* Returns the number of its descriptors. */
static size_t make_record(OpsRecord *record) {
        static const OpsKind kinds[] = { OPS_TICKET_OPEN, OPS_TICKET_CLOSE, OPS_SPAWN, OPS_KILL, OPS_REFINE,
                OPS_GOVERNOR, OPS_ADOPT, OPS_DROP_CACHES };

        memset(record, 0, sizeof *record);
        record->kind = kinds[draw(8)];
        record->serial = 1 + draw(1 << 20);
        if (record->kind == OPS_KILL)
                record->kill = draw(4) ? draw(100) : chance;
        if (record->kind == OPS_ADOPT)
                record->adopt = draw(4) ? draw(100) : chance;
        if (record->kind == OPS_DROP_CACHES)
                record->drop_caches = draw(4) ? draw(100) : chance;
        if (record->kind == OPS_TICKET_CLOSE)
                record->ticket_close = draw(4) ? draw(100) : chance;
        if (record->kind == OPS_SPAWN) {
                record->spawn.ticket = draw(4) ? draw(100) : chance;
                record->spawn.timeout_ns = draw(2) ? 1000000000 : chance % OPS_TIMEOUT_MAX_NS;
                record->spawn.plan.mode = draw(5);
        }
        if (record->kind == OPS_GOVERNOR)
                snprintf(record->governor.name, sizeof record->governor.name, "%s",
                                draw(2) ? "../../x" : "performance");
        if (record->kind == OPS_TICKET_OPEN)
                record->ticket_open.n_libraries = draw(3) ? 0 : 1;
        if (record->kind == OPS_TICKET_OPEN)
                return 2 + record->ticket_open.n_libraries;
        if (record->kind == OPS_ADOPT || record->kind == OPS_DROP_CACHES)
                return 1;
        if (ops_check(record, 0) != 0)
                record->kind = OPS_REFINE;
        return 0;
}

static void drain(void) {
        static OpsPacket packet;

        while (ops_receive(LAUNCH_FD, &packet) == 0)
                ops_packet_close(&packet);
}

int main(void) {
        static OpsRecord record = { .kind = OPS_READY, .serial = 1 };
        const char *seed = getenv("BENCHD_SEED");
        char build[BUILD_TEXT_MAX];
        int r, fds[FDS_MAX], n_sent = 0;

        chance = seed ? strtoull(seed, NULL, 10) : 1;
        record_greeting_send(LAUNCH_FD);
        record_greeting_receive(LAUNCH_FD, build);
        fcntl(LAUNCH_FD, F_SETFL, O_NONBLOCK);
        ops_send(LAUNCH_FD, &record, NULL, 0);
        for (int i = 0; i < RECORDS; i++) {
                size_t n_fds = make_record(&record);

                for (size_t k = 0; k < n_fds; k++)
                        fds[k] = some_fd();
                do {
                        drain();
                        r = ops_send(LAUNCH_FD, &record, fds, n_fds);
                } while (r == OPS_E_AGAIN);
                n_sent += r == 0;
                for (size_t k = 0; k < n_fds; k++)
                        close(fds[k]);
                if (r)
                        break;
        }
        dprintf(STDERR_FILENO, "sent %d\n", n_sent);
        for (;;)
                pause();
}
