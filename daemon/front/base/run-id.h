/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Run ids: 128 random bits in hexadecimal, the public id of a job. job-record draws them.
 */

#define RUN_ID_BYTES 33u /* 32 hexadecimal digits, and the terminator */
