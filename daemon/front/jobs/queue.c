/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/queue.h"

#include <math.h>
#include <stdlib.h>

#include "util/error.h"
#include "util/time.h"

#define QUEUE_HOUR_NS    (3600 * NS_PER_S)
#define QUEUE_OVERDUE    2u       /* a process that takes this many times as long as expected may take any time */
#define QUEUE_OVERDUE_NS NS_PER_S /* ... and that more */

/* The user of some jobs; stays until its account is empty. */
struct QueueUser {
        TAILQ_ENTRY(QueueUser) users;
        uid_t uid;
        TAILQ_HEAD(, QueuePlace) places; /* that wait, first come first */
        TAILQ_HEAD(, QueuePlace) turns;  /* that have theirs */
        size_t n_waiting;
        size_t n_turns;
        uint64_t used_ns; /* of core time, as of at_ns */
        uint64_t at_ns;
};

/* ---- accounts */

static uint64_t user_used_ns(const Queue *queue, const QueueUser *user, uint64_t now_ns) {
        const uint64_t passed_ns = now_ns > user->at_ns ? now_ns - user->at_ns : 0;
        const double emptied_ns = (double)passed_ns / QUEUE_HOUR_NS * queue->core_per_hour;

        return emptied_ns < user->used_ns ? user->used_ns - (uint64_t)emptied_ns : 0;
}

static void user_charge(const Queue *queue, QueueUser *user, uint64_t core_ns, uint64_t now_ns) {
        if (user->uid == 0 || queue->core_per_hour == 0)
                return;
        user->used_ns = user_used_ns(queue, user, now_ns) + core_ns;
        user->at_ns = now_ns;
}

static bool user_is_over_budget(const Queue *queue, const QueueUser *user, uint64_t now_ns) {
        return queue->core_per_hour > 0 && user_used_ns(queue, user, now_ns) >= queue->core_per_hour;
}

static QueueUser *queue_find_user(const Queue *queue, uid_t uid) {
        QueueUser *user;

        TAILQ_FOREACH(user, &queue->users, users) {
                if (user->uid == uid)
                        return user;
        }
        return NULL;
}

uint64_t queue_core_left_ns(const Queue *queue, uid_t uid, uint64_t now_ns) {
        const QueueUser *user = queue_find_user(queue, uid);
        const uint64_t used_ns = user ? user_used_ns(queue, user, now_ns) : 0;

        if (queue->core_per_hour == 0 || uid == 0)
                return UINT64_MAX;
        return used_ns < queue->core_per_hour ? queue->core_per_hour - used_ns : 0;
}

/* ---- users */

static void queue_free_user(Queue *queue, QueueUser *user) {
        TAILQ_REMOVE(&queue->users, user, users);
        free(user);
}

static void queue_forget_idle(Queue *queue, uint64_t now_ns) {
        QueueUser *user = TAILQ_FIRST(&queue->users);

        while (user) {
                QueueUser *next = TAILQ_NEXT(user, users);

                if (user->n_waiting + user->n_turns == 0 && user_used_ns(queue, user, now_ns) == 0)
                        queue_free_user(queue, user);
                user = next;
        }
}

/* A user who had a turn, or comes back, goes behind all others. */
static void queue_put_last(Queue *queue, QueueUser *user) {
        TAILQ_REMOVE(&queue->users, user, users);
        TAILQ_INSERT_TAIL(&queue->users, user, users);
}

static QueueUser *queue_add_user(Queue *queue, uid_t uid) {
        QueueUser *user = queue_find_user(queue, uid);

        if (user) {
                if (user->n_waiting + user->n_turns == 0)
                        queue_put_last(queue, user);
                return user;
        }
        user = calloc(1, sizeof *user);
        if (!user)
                return NULL;
        user->uid = uid;
        TAILQ_INIT(&user->places);
        TAILQ_INIT(&user->turns);
        TAILQ_INSERT_TAIL(&queue->users, user, users);
        return user;
}

size_t queue_count_users(const Queue *queue) {
        const QueueUser *user;
        size_t n = 0;

        TAILQ_FOREACH(user, &queue->users, users) {
                n += user->n_waiting + user->n_turns > 0;
        }
        return n;
}

/* ---- places */

void queue_init(Queue *queue, size_t most, uint64_t core_per_hour_ns) {
        *queue = (Queue){ .most = most, .core_per_hour = core_per_hour_ns };
        TAILQ_INIT(&queue->users);
}

void queue_clear(Queue *queue) {
        while (!TAILQ_EMPTY(&queue->users))
                queue_free_user(queue, TAILQ_FIRST(&queue->users));
}

static void queue_begin_waiting(Queue *queue, QueuePlace *place) {
        QueuePlace *later;

        TAILQ_FOREACH(later, &place->user->places, places) {
                if (later->came > place->came)
                        break;
        }
        if (later)
                TAILQ_INSERT_BEFORE(later, place, places);
        else
                TAILQ_INSERT_TAIL(&place->user->places, place, places);
        place->user->n_waiting++;
        queue->n_waiting++;
}

static void queue_end_waiting(Queue *queue, QueuePlace *place) {
        TAILQ_REMOVE(&place->user->places, place, places);
        place->user->n_waiting--;
        queue->n_waiting--;
}

static void queue_end_turn(Queue *queue, QueuePlace *place) {
        TAILQ_REMOVE(&place->user->turns, place, places);
        place->user->n_turns--;
        queue->n_turns--;
        place->has_turn = false;
        place->began_ns = 0;
        queue_put_last(queue, place->user);
}

int queue_add(Queue *queue, QueuePlace *place, const QueueComer *comer, uint64_t now_ns) {
        QueueUser *user;

        queue_forget_idle(queue, now_ns);
        user = queue_add_user(queue, comer->uid);
        if (!user)
                return error_origin(-ENOMEM);
        *place = (QueuePlace){ .user = user, .owner = comer->owner, .came = comer->number, .n_cpus = 1 };
        queue_begin_waiting(queue, place);
        return 0;
}

void queue_remove(Queue *queue, QueuePlace *place) {
        if (!place->user)
                return;
        if (place->has_turn)
                queue_end_turn(queue, place);
        else
                queue_end_waiting(queue, place);
        place->user = NULL;
}

bool queue_is_waiting(const QueuePlace *place) {
        return place->user && !place->has_turn;
}

/* ---- turns */

void queue_expect(QueuePlace *place, uint64_t process_ns, uint64_t left_ns, uint32_t n_cpus) {
        place->process_ns = process_ns;
        place->left_ns = left_ns;
        place->n_cpus = n_cpus > 0 ? n_cpus : 1;
}

void queue_note_begun(QueuePlace *place, uint64_t now_ns) {
        if (place->has_turn)
                place->began_ns = now_ns;
}

void queue_note_ended(Queue *queue, QueuePlace *place, uint64_t core_ns, uint64_t now_ns) {
        if (!place->has_turn)
                return;
        place->began_ns = 0;
        place->turn_core_ns += core_ns;
        user_charge(queue, place->user, core_ns, now_ns);
}

bool queue_turn_is_over(const QueuePlace *place) {
        return place->turn_core_ns > 0 && place->turn_core_ns + place->process_ns * place->n_cpus > QUEUE_TURN_NS;
}

void queue_yield(Queue *queue, QueuePlace *place) {
        queue_end_turn(queue, place);
        place->last_seen = queue->last_turn;
        queue_begin_waiting(queue, place);
}

static bool user_precedes(const Queue *queue, const QueueUser *user, const QueueUser *other, uint64_t now_ns) {
        const bool over = user_is_over_budget(queue, user, now_ns);

        if (over != user_is_over_budget(queue, other, now_ns))
                return !over;
        return user->n_turns < other->n_turns;
}

static bool user_may_have_turn(const Queue *queue, const QueueUser *user) {
        return user->n_waiting > 0 && (queue->most_of_user == 0 || user->n_turns < queue->most_of_user);
}

void *queue_advance(Queue *queue, uint64_t now_ns) {
        QueueUser *user, *next = NULL;
        QueuePlace *place;

        if (queue->n_turns >= queue->most)
                return NULL;
        TAILQ_FOREACH(user, &queue->users, users) {
                if (user_may_have_turn(queue, user) && (!next || user_precedes(queue, user, next, now_ns)))
                        next = user;
        }
        if (!next)
                return NULL;
        place = TAILQ_FIRST(&next->places);
        queue_end_waiting(queue, place);
        TAILQ_INSERT_TAIL(&next->turns, place, places);
        next->n_turns++;
        queue->n_turns++;
        place->interrupted = place->turn > 0 && place->last_seen != queue->last_turn;
        place->turn = ++queue->last_turn;
        place->has_turn = true;
        place->turn_core_ns = 0;
        queue_put_last(queue, next);
        return place->owner;
}

/* ---- the forecast */

/* The time of a whole turn of @place: of as many processes as fit into one, and of one at least. */
static uint64_t place_turn_ns(const QueuePlace *place) {
        const uint64_t share_ns = QUEUE_TURN_NS / place->n_cpus;
        const uint64_t n = place->process_ns > 0 ? share_ns / place->process_ns : 0;

        return place->process_ns > 0 ? (n > 1 ? n : 1) * place->process_ns : share_ns;
}

/* The time left of the turn that @place has, the process under way counted as a whole; 0 if it has none. */
static uint64_t place_turn_left_ns(const QueuePlace *place) {
        const uint64_t turn_ns = place_turn_ns(place), used_ns = place->turn_core_ns / place->n_cpus;
        const uint64_t left_ns = turn_ns > used_ns ? turn_ns - used_ns : 0;

        if (!place->has_turn)
                return 0;
        return left_ns < place->left_ns ? left_ns : place->left_ns;
}

/* Work before a place: its time, and in how many turns. */
typedef struct QueueWork {
        double ns;
        double turns;
        size_t waiting; /* jobs of it that wait */
        size_t having;  /* ... and that have a turn */
} QueueWork;

/* Adds the work of @place, but for the turn that it has, as far as it gets until there are @turns. */
static void work_add_place(QueueWork *work, const QueuePlace *place, double turns) {
        const double left_ns = place->left_ns - place_turn_left_ns(place), turn_ns = place_turn_ns(place);
        const double wanted = place->has_turn ? ceil(left_ns / turn_ns) : fmax(1, ceil(left_ns / turn_ns));
        const double n = fmin(wanted, turns - work->turns);

        work->having += place->has_turn;
        if (n <= 0)
                return;
        work->ns += n < wanted ? n * turn_ns : left_ns;
        work->turns += n;
        work->waiting += !place->has_turn;
}

/* The work of @user's places before @end in its line (NULL: of all), as far as it gets in @turns. */
static QueueWork user_work(const QueueUser *user, const QueuePlace *end, double turns) {
        const QueuePlace *place;
        QueueWork work = {};

        TAILQ_FOREACH(place, &user->turns, places) {
                if (!end || place->came < end->came)
                        work_add_place(&work, place, turns);
        }
        TAILQ_FOREACH(place, &user->places, places) {
                if (place == end || work.turns >= turns)
                        break;
                work_add_place(&work, place, turns);
        }
        return work;
}

/* Adds the rest of the turns under way. It is unknown how long an overdue process still takes. */
static void forecast_add_turns(const QueueUser *user, uint64_t now_ns, QueueForecast *forecast, QueueWork *work) {
        const QueuePlace *place;

        TAILQ_FOREACH(place, &user->turns, places) {
                const uint64_t ran_ns = place->began_ns > 0 && now_ns > place->began_ns ? now_ns - place->began_ns : 0;
                const uint64_t left_ns = place_turn_left_ns(place);

                work->ns += left_ns > ran_ns ? left_ns - ran_ns : 0;
                forecast->known &= ran_ns <= QUEUE_OVERDUE * place->process_ns + QUEUE_OVERDUE_NS;
                forecast->jobs_before++;
                forecast->turns_before++;
        }
}

/* The turns that @other has before @user, who has @own_turns before it comes to the place in question. */
static double turns_of_other(const Queue *queue, const QueueUser *other, const QueueUser *user, bool ahead,
                double own_turns, uint64_t now_ns) {
        const bool over = user && user_is_over_budget(queue, user, now_ns);

        if (over != user_is_over_budget(queue, other, now_ns))
                return over ? INFINITY : 0;
        return own_turns + (other->n_turns == 0 && ahead);
}

/* The forecast of the place of @user (NULL: who has none yet) before which its line ends: @end, or NULL behind all. */
static QueueForecast queue_foresee(const Queue *queue, const QueueUser *user, const QueuePlace *end, uint64_t now_ns) {
        QueueWork own = user ? user_work(user, end, INFINITY) : (QueueWork){}, all, of_other;
        QueueForecast forecast = {
                .own_before = own.waiting + own.having,
                .over_budget = user && user_is_over_budget(queue, user, now_ns),
                .known = true,
        };
        bool ahead = true;
        const QueueUser *other;

        if (forecast.own_before < queue->most) /* they have turns beside it */
                own = (QueueWork){ .waiting = own.waiting };
        all = own;
        TAILQ_FOREACH(other, &queue->users, users) {
                forecast_add_turns(other, now_ns, &forecast, &all);
                if (other == user) {
                        ahead = user->n_turns > 0 || user->n_waiting == 0;
                        continue;
                }
                of_other = user_work(other, NULL, turns_of_other(queue, other, user, ahead, own.turns, now_ns));
                all.ns += of_other.ns;
                all.turns += of_other.turns;
                all.waiting += of_other.waiting;
        }
        forecast.jobs_before += all.waiting;
        forecast.turns_before += all.turns < UINT32_MAX ? (size_t)all.turns : UINT32_MAX;
        forecast.wait_ns = all.ns / queue->most;
        return forecast;
}

QueueForecast queue_forecast(const Queue *queue, const QueuePlace *place, uint64_t now_ns) {
        return queue_foresee(queue, place->user, place, now_ns);
}

QueueForecast queue_forecast_next(const Queue *queue, uid_t uid, uint64_t now_ns) {
        return queue_foresee(queue, queue_find_user(queue, uid), NULL, now_ns);
}
