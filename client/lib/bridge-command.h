/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The command at whose end a bridge stands: ssh, for one. It has a socket for stdin and stdout, and stderr is the caller's.
 */

#include <stdint.h>
#include <sys/types.h>

typedef struct BridgeCommand {
        pid_t pid;           /* -1: none */
        int fd;              /* the caller's end; -1: none */
        uint64_t hung_up_ns; /* on the monotonic clock; 0: it is not */
} BridgeCommand;

#define BRIDGE_COMMAND_NULL ((BridgeCommand){ .pid = -1, .fd = -1 })

/*
 * Starts @argv, found on the PATH, deaf to Ctrl-C and the other signals that a whole job gets: the caller decides what ends. The socket
 * does not block. Returns 0, or a negative errno, also that of a program that could not be executed.
 */
int bridge_command_start(char *const *argv, BridgeCommand *ret_command);

/* Hangs up, so that the command ends, without waiting for it: several then end at the same time. */
void bridge_command_hang_up(BridgeCommand *command);

/* Hangs up and waits until the command has ended; one that does not within some time from the hang-up is killed. Leaves BRIDGE_COMMAND_NULL. */
void bridge_command_end(BridgeCommand *command);
