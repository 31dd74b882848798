/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Workplaces: directories that runners without a cell (launch/birth/cell.h) are born in, and may fill. Each runner has one, which is empty, belongs
 * to its user, has a name that no other user can find, and is removed when the runner is dead.
 *
 * The zygote owns them. With the right to mount, it enters a new mount namespace and gives each place a tmpfs, which bounds all files together and
 * vanishes however the daemon ends. The places beyond WORKPLACES_MOUNTED share one more. In a service systemd has mounted these. Without mounts,
 * places are plain directories, and only each file has a limit (RLIMIT_FSIZE).
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define WORKPLACES_MAX        32u /* RUNNERS_MAX */
#define WORKPLACES_MOUNTED    8u  /* the first of them, where mounts are possible; as in benchd-launch.service */
#define WORKPLACE_BYTES       (256u << 20)
#define WORKPLACE_FILES       131072u
#define WORKPLACE_PATH_MAX    256u
#define WORKPLACE_NAME_DIGITS 32u

/* The user who owns a place. */
typedef struct WorkplaceOwner {
        bool other; /* a user other than the zygote's, which the zygote may become */
        uid_t uid;
        gid_t gid;
} WorkplaceOwner;

typedef struct Workplace {
        bool mounted;
        char name[WORKPLACE_NAME_DIGITS + 1]; /* empty: the place is free */
        WorkplaceOwner owner;
} Workplace;

typedef struct Workplaces {
        char base[WORKPLACE_PATH_MAX / 2]; /* empty: there are none */
        bool made_base;
        Workplace places[WORKPLACES_MAX];
} Workplaces;

/*
 * Makes the places: with @may_mount on file systems of their own where that is possible, else below @beside, or NULL: where the unit of
 * systemd has them. Removes what an earlier daemon left there. Under root, if a directory above @beside is closed to its runners, the places
 * lie in /tmp instead. If none can be made, a message says so, and runners are born in the root directory.
 */
void workplaces_open(const char *beside, bool may_mount, Workplaces *ret_workplaces);

/* Removes all of it. */
void workplaces_close(Workplaces *workplaces);

/*
 * Prepares place @i for a runner of @owner, after removing what is left there. Returns the path of the directory that the runner is
 * to make with workplace_enter(), or NULL.
 */
const char *workplace_take(Workplaces *workplaces, size_t i, const WorkplaceOwner *owner,
                char path[static WORKPLACE_PATH_MAX]);

/* Makes the directory @path of @owner and enters it. False: errno says why. */
bool workplace_enter(const char *path, const WorkplaceOwner *owner);

/* Enters the directory that another process made with workplace_enter(). False: it could not. */
bool workplace_follow(const char *path, const WorkplaceOwner *owner);

/* Makes the directory @name of @owner in the working directory and enters it. False: errno says why. */
bool workplace_make_below(const char *name, const WorkplaceOwner *owner);

/* Enters the directory @fd of @owner, which may be closed to the zygote's own user. False: errno says why. */
bool workplace_enter_open(int fd, const WorkplaceOwner *owner);

/* Removes what the runner of place @i left. Does nothing to a free place. */
void workplace_clear(Workplaces *workplaces, size_t i);
