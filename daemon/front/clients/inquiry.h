/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Requests about jobs, of this connection or any other, under way or over: to follow, show, list, cancel and pin them.
 * match.h says which job is meant, and whose.
 */

typedef struct Session Session;
typedef struct Benchd__Request Benchd__Request;

void inquiry_wait(Session *session, const Benchd__Request *request);
void inquiry_show(Session *session, const Benchd__Request *request);
void inquiry_history(Session *session, const Benchd__Request *request);
void inquiry_pin(Session *session, const Benchd__Request *request);
void inquiry_cancel(Session *session, const Benchd__Request *request);
