/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The command that leads to a bridge, for example ssh. Its stdin and stdout are a socket; its stderr is the caller's.
 */

#include <stdint.h>
#include <sys/types.h>

typedef struct BridgeCommand {
        pid_t pid;           /* -1: none */
        int fd;              /* the caller's end; -1: none */
        uint64_t hung_up_ns; /* on the monotonic clock; 0: not hung up */
} BridgeCommand;

#define BRIDGE_COMMAND_NULL ((BridgeCommand){ .pid = -1, .fd = -1 })

/*
 * Starts @argv, found on the PATH, with Ctrl-C and the other signals to a whole job ignored and blocked: the caller decides when it ends.
 * The socket is non-blocking. Returns 0, or a negative errno, including that of a failed exec.
 */
int bridge_command_start(char *const *argv, BridgeCommand *ret_command);

/* Hangs up, so that the command ends, without waiting: several commands can then end at the same time. */
void bridge_command_hang_up(BridgeCommand *command);

/* Hangs up and waits until the command has ended; kills it some time after the hang-up. Leaves BRIDGE_COMMAND_NULL. */
void bridge_command_end(BridgeCommand *command);
