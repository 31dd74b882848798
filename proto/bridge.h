/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A bridge carries a connection over a pipe, which cannot pass descriptors: for example to another machine by ssh.
 *
 * The daemon's side sends a line, BRIDGE_GREETING, once it has reached its daemon, and then the daemon's bytes unchanged. The client's side
 * sends, before each frame, the number of its files (a varint), the size of each (a varint), then their bytes.
 */

#include "util/socket.h"

#define BRIDGE_NAME       "benchd-bridge "
#define BRIDGE_GREETING   BRIDGE_NAME "1\n" /* with the version of this format */
#define BRIDGE_FILES_MAX  SOCKET_FDS_MAX
#define BRIDGE_FILE_MAX   (64u << 20) /* bytes of a file; at least 1 */
#define BRIDGE_VARINT_MAX 4u          /* bytes of a number up to 2^28 - 1 */
#define BRIDGE_HEAD_MAX   ((1 + BRIDGE_FILES_MAX) * BRIDGE_VARINT_MAX)
