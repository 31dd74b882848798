/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Asks polkit over the system bus whether a client may do something. polkit may ask the user for a password first, so an answer can take
 * minutes.
 *
 * The client is named by its process and user. polkit judges by that user, the one who connected, whatever the process has become since.
 * The process is given by a pidfd, which polkit accepts from version 124 on, and by its PID with its start time: the PID alone may have
 * been reused (polkit(8), subjects).
 */

#include <stdint.h>
#include <sys/types.h>

typedef struct PolkitQuestion PolkitQuestion;
typedef struct sd_bus sd_bus;
typedef struct sd_event sd_event;

enum {
        _POLKIT_E_SUCCESS,

        POLKIT_E_UNAVAILABLE, /* there is no bus */
};

typedef enum PolkitAnswer {
        POLKIT_YES,
        POLKIT_NO,
        POLKIT_UNAVAILABLE, /* polkit is missing, does not know the action, or does not answer */
} PolkitAnswer;

typedef struct PolkitSubject {
        pid_t pid;
        uint64_t started_ticks; /* as in /proc/PID/stat; never 0 */
        uid_t uid;
        int pidfd; /* -1: not supported by the kernel */
} PolkitSubject;

typedef void (*PolkitTell)(void *userdata, PolkitAnswer answer);

/* Connects to the system's bus. Returns 0, E_UNAVAILABLE, or a negative errno. */
int polkit_connect(sd_event *event, sd_bus **ret_bus);

/*
 * Asks on @bus, which it takes over, whether @subject may do @action, a static string. Calls @tell once, in a later turn of the loop,
 * unless the question is freed before; @tell may free it. Returns 0 or a negative errno.
 */
int polkit_ask(sd_bus *bus, const PolkitSubject *subject, const char *action, PolkitTell tell, void *userdata,
                PolkitQuestion **ret_question);
PolkitQuestion *polkit_question_free(PolkitQuestion *question);
