/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A bridge carries a connection over a pipe, which has no descriptors: to another machine by ssh, for one.
 *
 * From the daemon's side come a line, BRIDGE_GREETING, once that side has reached its daemon, and then the daemon's bytes as they are.
 * To it goes before each frame a varint, the number of its files; then the size of each, a varint too; then their bytes.
 */

#include "util/socket.h"

#define BRIDGE_NAME       "benchd-bridge "
#define BRIDGE_GREETING   BRIDGE_NAME "1\n" /* with the version of this wire */
#define BRIDGE_FILES_MAX  SOCKET_FDS_MAX
#define BRIDGE_FILE_MAX   (64u << 20) /* bytes of a file, of which there is at least one */
#define BRIDGE_VARINT_MAX 4u          /* bytes of a number up to 2^28 - 1 */
#define BRIDGE_HEAD_MAX   ((1 + BRIDGE_FILES_MAX) * BRIDGE_VARINT_MAX)
