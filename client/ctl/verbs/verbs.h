/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The function of each verb, in a separate source file. Returns an exit code.
 */

typedef struct Settings Settings;

int verb_run(const Settings *settings);
int verb_compare(const Settings *settings);
int verb_exec(const Settings *settings);
int verb_list(const Settings *settings);
int verb_source(const Settings *settings);
int verb_disasm(const Settings *settings);
int verb_new(const Settings *settings);
int verb_unpack(const Settings *settings);
int verb_edit(const Settings *settings);
int verb_debug(const Settings *settings);
int verb_status(const Settings *settings);
int verb_wait(const Settings *settings);
int verb_show(const Settings *settings);
int verb_cancel(const Settings *settings);
int verb_history(const Settings *settings);
int verb_pin(const Settings *settings);
int verb_unpin(const Settings *settings);
int verb_set_governor(const Settings *settings);
int verb_bisect(const Settings *settings);
int verb_bridge(const Settings *settings);
