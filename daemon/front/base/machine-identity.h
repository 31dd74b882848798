/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Name and id by which a machine is told from others.
 *
 * The id is a hash of /etc/machine-id, since that one is confidential: it stays the same for the life of an installation,
 * nobody can compute the machine-id from it, and other programs have other hashes.
 */

#include <stdbool.h>

typedef struct RootDir RootDir;

#define MACHINE_ID_BYTES   33u /* 32 hexadecimal digits and a zero */
#define MACHINE_NAME_BYTES 65u /* as many as the kernel's host name has, and a zero */

#define MACHINE_NAME_HOST "%H" /* in the configuration: the host name, as in systemd's units */

/* A fact that the machine does not have is empty. */
typedef struct MachineIdentity {
        char id[MACHINE_ID_BYTES];
        char name[MACHINE_NAME_BYTES];
} MachineIdentity;

/* Letters, digits, dots, hyphens and underscores, the first a letter or a digit, of any number. */
bool machine_name_is_valid(const char *text);

/*
 * Reads the identity below @root. @name is that of the configuration, valid or MACHINE_NAME_HOST. There is no id where
 * the machine-id is missing, empty or being set up, and no name where the host name is not a valid one, "(none)" for one.
 */
void machine_identity_read(RootDir *root, const char *name, MachineIdentity *ret_identity);
