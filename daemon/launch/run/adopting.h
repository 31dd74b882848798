/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Adoption: a client's process comes to the CPUs and into the control group of a runner's process, whose job is of the same user. It gets
 * neither SCHED_FIFO nor any right, and its world stays its own: it is what a whole command is measured in.
 */

#include "ops/ops.h"

typedef struct Process Process;
typedef struct Tickets Tickets;

/*
 * Takes in the process that made the connection in @packet, for @process (NULL: it is over); an answer is always there. The descriptor stays the packet's.
 */
void adopting_do(const Tickets *tickets, Process *process, const OpsPacket *packet, OpsRecord *ret_answer);

/* Checks that @process (NULL: it is over) took in who made the connection @client_fd. Returns 0, a positive OpsRefusal, or a negative errno. */
int adopting_check(const Tickets *tickets, const Process *process, int client_fd);
