/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Queue of measured jobs: users take turns, one at a time, so that no measurement disturbs another, or as many at a time as configured. A
 * second queue serves the processes that list and inspect (jobs.h), with a limit per user. Pure: now is a parameter.
 *
 * A turn is one process of a run, or as many as fit into QUEUE_TURN_NS of core time, whichever is longer. After it the job returns to its
 * place in its user's line, and the next user has a turn: so a user waits for each other user for at most one process or QUEUE_TURN_NS,
 * whatever the others submit. A user's line is first come, first served. With several turns at a time, the user with the fewest current
 * turns goes first.
 *
 * Each user has an account of used core time, which drains evenly over an hour. A user over the configured limit has turns only while no
 * other user waits: that costs the others nothing, whereas a refusal would leave the core idle and lose a night's jobs. Root has no
 * account.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#define QUEUE_TURN_NS (2ull * 1000000000)

typedef struct QueueUser QueueUser;

/* A place in the queue, embedded in its owner. */
typedef struct QueuePlace {
        TAILQ_ENTRY(QueuePlace) places;
        QueueUser *user; /* NULL: not in the queue */
        void *owner;
        uint64_t came;
        bool has_turn;
        uint64_t turn;         /* the number of its turn, or of its last one; 0: none yet */
        uint64_t last_seen;    /* the latest turn of any job when its own turn ended */
        bool interrupted;      /* other jobs had turns between this turn and its previous one */
        uint64_t turn_core_ns; /* core time used in the turn */
        uint64_t began_ns;     /* start of the running process; 0: none runs */

        /* expected, by queue_expect() */
        uint64_t process_ns;
        uint64_t left_ns;
        uint32_t n_cpus;
} QueuePlace;

typedef struct Queue {
        TAILQ_HEAD(, QueueUser) users; /* in the order of their turns */
        size_t n_waiting;
        size_t n_turns;         /* under way */
        size_t most;            /* the limit of n_turns */
        size_t most_of_user;    /* the limit per user, set after queue_init(); 0: none */
        uint64_t core_per_hour; /* ns of core time for each user; 0: no limit */
        uint64_t last_turn;
} Queue;

/* A new entry of the queue. */
typedef struct QueueComer {
        uid_t uid;
        uint64_t number; /* in the order of submission, which the user's line keeps */
        void *owner;
} QueueComer;

/* At most @most (1 or more) turns run at a time. */
void queue_init(Queue *queue, size_t most, uint64_t core_per_hour_ns);

/* Frees the users' accounts; no place may be left in the queue. */
void queue_clear(Queue *queue);

/* Puts @place, which is not in the queue, into the line of its user. Returns 0 or -ENOMEM. */
int queue_add(Queue *queue, QueuePlace *place, const QueueComer *comer, uint64_t now_ns);

/* Removes @place; does nothing if it is not in the queue. */
void queue_remove(Queue *queue, QueuePlace *place);

/* True while @place waits for its first turn, or for its next one. */
bool queue_is_waiting(const QueuePlace *place);

/*
 * Notes the expected rest of the job of @place: a process takes about @process_ns on @n_cpus cores, and all remaining processes @left_ns.
 */
void queue_expect(QueuePlace *place, uint64_t process_ns, uint64_t left_ns, uint32_t n_cpus);

/* Notes that a process of @place began, or that it ended having used @core_ns; nothing while it has no turn. */
void queue_note_begun(QueuePlace *place, uint64_t now_ns);
void queue_note_ended(Queue *queue, QueuePlace *place, uint64_t core_ns, uint64_t now_ns);

/* True if the next process of @place would not fit into its turn. */
bool queue_turn_is_over(const QueuePlace *place);

/* Ends the turn of @place, which then waits ahead of all later jobs of its user. */
void queue_yield(Queue *queue, QueuePlace *place);

/* The number of users with a place. */
size_t queue_count_users(const Queue *queue);

/* Gives a free turn, if any, to the next place. Returns that place's owner, or NULL if nothing changed. */
void *queue_advance(Queue *queue, uint64_t now_ns);

/* The forecast of a place's next turn, from the expected times of all jobs. */
typedef struct QueueForecast {
        size_t jobs_before;  /* that have a turn, or get one earlier */
        size_t own_before;   /* of these: earlier jobs of the same user, which must end first */
        size_t turns_before; /* of all jobs, including turns under way */
        bool over_budget;    /* the user's core time is used up: all others go first */
        bool known;          /* false while a process takes far longer than expected */
        uint64_t wait_ns;    /* if known */
} QueueForecast;

/* The forecast of the waiting @place. */
QueueForecast queue_forecast(const Queue *queue, const QueuePlace *place, uint64_t now_ns);

/* The forecast of a job that @uid would submit now. */
QueueForecast queue_forecast_next(const Queue *queue, uid_t uid, uint64_t now_ns);

/* The core time that @uid may still use before other users go first; UINT64_MAX: no limit. */
uint64_t queue_core_left_ns(const Queue *queue, uid_t uid, uint64_t now_ns);
