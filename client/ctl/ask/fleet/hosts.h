/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machines named by --host: one; several, separated by commas; the lines of a file; or the nodes of a Slurm allocation.
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

/* Finds the machines that the settings name. Returns 0, or an exit code after printing the error. */
int hosts_find(const Settings *settings, Hosts *ret_hosts);
void hosts_clear(Hosts *hosts);

/* True if @typed can name several machines. */
bool hosts_are_several(const char *typed);
