/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The id of a job as users type it: its hexadecimal digits, or a prefix of them.
 */

#define JOB_ID_MIN   4u
#define JOB_ID_MAX   32u
#define JOB_ID_BYTES (JOB_ID_MAX + 1u)
#define JOB_ID_SHOWN 8 /* digits in tables and sentences */
