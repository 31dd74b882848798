/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machines that --host names: one; several, with commas between them; those of a file; the nodes of an allocation of Slurm.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/ask/fleet/transport.h"

#define HOSTS_MAX      1024u
#define HOSTS_NAME_MAX 255u

typedef struct Settings Settings;

typedef struct Hosts {
        char **names;
        size_t n;
        Transport transport;
} Hosts;

/* Returns 0, or, having said what is wrong, an exit code. */
int hosts_find(const Settings *settings, Hosts *ret_hosts);
void hosts_clear(Hosts *hosts);

/* True if @typed can name several machines. */
bool hosts_are_several(const char *typed);
