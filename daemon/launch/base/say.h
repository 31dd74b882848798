/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's messages on standard error: with the level in front that systemd's journal takes from a line, or, on a terminal or
 * in a file, with the program's name.
 */

#include <systemd/sd-daemon.h>

/* Prints the line of @format, which has no newline, at @level, an SD_* of sd-daemon(3). */
void say(const char *level, const char *format, ...) __attribute__((format(printf, 2, 3)));
