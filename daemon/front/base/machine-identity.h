/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Name and id of a machine.
 *
 * The id is a keyed hash of /etc/machine-id, which is confidential: the hash is stable for the life of an installation, does not reveal the
 * machine-id, and differs from the hashes of other programs.
 */

#include <stdbool.h>

typedef struct RootDir RootDir;

#define MACHINE_ID_BYTES   33u /* 32 hexadecimal digits and a zero */
#define MACHINE_NAME_BYTES 65u /* the kernel's longest host name, and a zero */

#define MACHINE_NAME_HOST "%H" /* in the configuration: the host name, as in systemd's units */

/* An unknown fact is empty. */
typedef struct MachineIdentity {
        char id[MACHINE_ID_BYTES];
        char name[MACHINE_NAME_BYTES];
} MachineIdentity;

/* True for letters, digits, dots, hyphens and underscores that begin with a letter or a digit; any length. */
bool machine_name_is_valid(const char *text);

/*
 * Reads the identity below @root. @name is the configured one: valid, or MACHINE_NAME_HOST. The id is empty if the machine-id is missing,
 * empty or being set up; the name is empty if the host name is not valid, as "(none)" is not.
 */
void machine_identity_read(RootDir *root, const char *name, MachineIdentity *ret_identity);
