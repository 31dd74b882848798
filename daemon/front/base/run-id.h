/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Run ids: 128 random bits in hexadecimal, by which a job is known to all. job-record draws them.
 */

#define RUN_ID_BYTES 33u /* 32 hexadecimal digits, and the terminator */
