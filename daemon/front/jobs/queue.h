/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The queue of what is measured: turns, handed round between users, one at a time, so that no measurement disturbs another; or as
 * many at once as somebody chose who has the cores for it. A second queue hands round the processes that list and inspect (jobs.h), with
 * a bound for each user. Pure: now is a parameter.
 *
 * A turn is one process of a run, or as many as fit into QUEUE_TURN_NS of core time, whichever is longer. After it the job goes
 * back to its place in its user's own line, and the next user has a turn: so a user waits for at most one process or that time of
 * each other user, whatever they ask for. In a user's line the first come is the first served. With several turns at once the user
 * who has the fewest now goes first.
 *
 * Each user has an account of core time, which empties evenly over an hour. Who has used up what the configuration allows has turns
 * only while nobody else waits: that costs the others nothing, and a refusal would leave the core idle and lose a night's jobs. The
 * account of root is not kept.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#define QUEUE_TURN_NS (2ull * 1000000000)

typedef struct QueueUser QueueUser;

/* A place in the queue, part of who waits. */
typedef struct QueuePlace {
        TAILQ_ENTRY(QueuePlace) places;
        QueueUser *user; /* NULL: not in the queue */
        void *owner;
        uint64_t came;
        bool has_turn;
        uint64_t turn;         /* the number of its turn, or of its last one; 0: none yet */
        uint64_t last_seen;    /* the latest turn of all as its own ended */
        bool interrupted;      /* others began turns between that and the one before */
        uint64_t turn_core_ns; /* used of the turn */
        uint64_t began_ns;     /* the process that runs; 0: none does */

        /* expected, by queue_expect() */
        uint64_t process_ns;
        uint64_t left_ns;
        uint32_t n_cpus;
} QueuePlace;

typedef struct Queue {
        TAILQ_HEAD(, QueueUser) users; /* whose turn comes first stands first */
        size_t n_waiting;
        size_t n_turns;         /* that are under way */
        size_t most;            /* of these */
        size_t most_of_user;    /* ... and of one user's, to be set after queue_init(); 0: as many as of all */
        uint64_t core_per_hour; /* ns of core time that each user has; 0: no limit */
        uint64_t last_turn;
} Queue;

/* Who comes to the queue. */
typedef struct QueueComer {
        uid_t uid;
        uint64_t number; /* in the order in which jobs came: their lines keep it */
        void *owner;
} QueueComer;

/* @most (1 or more) have their turn at once. */
void queue_init(Queue *queue, size_t most, uint64_t core_per_hour_ns);

/* Frees the users' accounts; no place is left. */
void queue_clear(Queue *queue);

/* Puts @place, which is not in the queue, into the line of its user. Returns 0 or -ENOMEM. */
int queue_add(Queue *queue, QueuePlace *place, const QueueComer *comer, uint64_t now_ns);

/* Takes @place out, wherever it stands; nothing if it is not in the queue. */
void queue_remove(Queue *queue, QueuePlace *place);

/* True while @place waits for its first turn, or for its next one. */
bool queue_is_waiting(const QueuePlace *place);

/* Notes what the job of @place still has before it: a process takes about @process_ns on @n_cpus cores, and all of them @left_ns. */
void queue_expect(QueuePlace *place, uint64_t process_ns, uint64_t left_ns, uint32_t n_cpus);

/* Notes that a process of @place began, or that it ended having used @core_ns; nothing while it has no turn. */
void queue_note_begun(QueuePlace *place, uint64_t now_ns);
void queue_note_ended(Queue *queue, QueuePlace *place, uint64_t core_ns, uint64_t now_ns);

/* True where the next process of @place would not fit into its turn. */
bool queue_turn_is_over(const QueuePlace *place);

/* Ends the turn of @place, which waits again, before all that came later to its line. */
void queue_yield(Queue *queue, QueuePlace *place);

/* The users who have a place. */
size_t queue_count_users(const Queue *queue);

/* If a turn is to be had, makes it the next one's. Returns its owner, or NULL if nothing changed. */
void *queue_advance(Queue *queue, uint64_t now_ns);

/* The expected way of a place to its next turn, by the times that are expected of all jobs. */
typedef struct QueueForecast {
        size_t jobs_before;  /* whose turn it is, or comes before */
        size_t own_before;   /* of these: earlier jobs of the same user, which have to end first */
        size_t turns_before; /* of all jobs, those under way counted */
        bool over_budget;    /* the user's core time is used up: all others go first */
        bool known;          /* false where a process takes far longer than was expected of it */
        uint64_t wait_ns;    /* if that is known */
} QueueForecast;

/* The forecast of @place, which waits. */
QueueForecast queue_forecast(const Queue *queue, const QueuePlace *place, uint64_t now_ns);

/* ... and of a job that @uid would submit now. */
QueueForecast queue_forecast_next(const Queue *queue, uid_t uid, uint64_t now_ns);

/* The core time that @uid may use now before the others go first; UINT64_MAX without a limit. */
uint64_t queue_core_left_ns(const Queue *queue, uid_t uid, uint64_t now_ns);
