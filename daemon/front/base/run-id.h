/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Run ids: 128 random bits in hexadecimal, the name of a job everywhere.
 */

#define RUN_ID_BYTES 33u /* 32 hexadecimal digits, and the terminator */

/* Draws an id. Returns 0 or a negative errno. */
int run_id_draw(char ret_id[static RUN_ID_BYTES]);
