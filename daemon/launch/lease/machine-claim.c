/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/machine-claim.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "util/time.h"

#define LIST_MAX 4096u /* bytes of a list of CPUs */

static int claim_open(RootDir *root) {
        char directory[] = MACHINE_CLAIM_PATH;

        if (mkdirat(root_dir_fd(root), dirname(directory), 0755) == 0)
                (void)!fchmodat(root_dir_fd(root), directory, 0755, 0);
        return openat(root_dir_fd(root), MACHINE_CLAIM_PATH, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* A text that a holder of another version wrote may lack all but the process. */
static MachineHolder claim_read_holder(int fd) {
        MachineHolder holder = {};
        char text[64 + LIST_MAX];
        size_t n;
        int pid = 0, list = 0;

        if (fd_try_read_start(fd, text, sizeof text - 1, &n))
                return holder;
        text[n] = '\0';
        text[strcspn(text, "\n")] = '\0';
        if (sscanf(text, "%d %" SCNu64 " %n", &pid, &holder.since_ns, &list) < 2 || list == 0 ||
                        cpu_list_parse(text + list, &holder.cpus) != 0)
                CPU_ZERO(&holder.cpus);
        holder.pid = pid;
        return holder;
}

/* A reader sees the first line alone, so that it never meets the rest of a longer text. */
static void claim_write(const MachineClaim *claim, const char *text) {
        const size_t n = strlen(text);

        if (pwrite(claim->fd, text, n, 0) == (ssize_t)n)
                (void)!ftruncate(claim->fd, n);
}

int machine_claim_take(MachineClaim *claim, RootDir *root, MachineHolder *ret_holder) {
        _cleanup_(fd_closep) int fd = -1;

        if (claim->fd >= 0)
                return 0;
        fd = claim_open(root);
        if (fd < 0)
                return 0;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
                if (errno != EWOULDBLOCK)
                        return 0;
                *ret_holder = claim_read_holder(fd);
                return MACHINE_CLAIM_E_HELD;
        }
        claim->fd = fd_take(&fd);
        machine_claim_withdraw(claim);
        return 0;
}

void machine_claim_publish(MachineClaim *claim, const cpu_set_t *cpus) {
        char list[LIST_MAX], text[64 + LIST_MAX];

        if (claim->fd < 0 || cpu_list_format(cpus, list, sizeof list) >= sizeof list)
                return;
        if (claim->since_ns == 0)
                claim->since_ns = time_monotonic_ns();
        snprintf(text, sizeof text, "%d %" PRIu64 " %s\n", getpid(), claim->since_ns, list);
        claim_write(claim, text);
}

void machine_claim_withdraw(MachineClaim *claim) {
        char text[32];

        claim->since_ns = 0;
        if (claim->fd < 0)
                return;
        snprintf(text, sizeof text, "%d\n", getpid());
        claim_write(claim, text);
}

void machine_claim_release(MachineClaim *claim) {
        if (claim->fd >= 0)
                (void)!ftruncate(claim->fd, 0);
        claim->fd = fd_close(claim->fd);
}

bool machine_holder_stands(const MachineHolder *holder, RootDir *root) {
        _cleanup_(fd_closep) int fd = claim_open(root);
        MachineHolder now;

        if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) ==
                                        0) /* a lock that nobody holds is given back with the descriptor */
                return false;
        now = claim_read_holder(fd);
        return now.pid == holder->pid && now.since_ns == holder->since_ns;
}
