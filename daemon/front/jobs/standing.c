/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/standing.h"

#include "front/base/message.h"
#include "front/jobs/queue.h"

static Benchd__Standing *standing_build(const QueueForecast *forecast, Arena *arena) {
        Benchd__Standing *standing = message_new(arena, Benchd__Standing, benchd__standing);

        if (!standing)
                return NULL;
        if (forecast->known)
                message_set(standing, wait_ns, forecast->wait_ns);
        message_set(standing, turns_before, forecast->turns_before);
        message_set(standing, own_before, forecast->own_before);
        message_set(standing, over_budget, forecast->over_budget);
        return standing;
}

Benchd__Standing *standing_of_place(const Queue *queue, const QueuePlace *place, uint64_t now_ns, Arena *arena) {
        QueueForecast forecast;

        if (!queue_is_waiting(place))
                return NULL;
        forecast = queue_forecast(queue, place, now_ns);
        return standing_build(&forecast, arena);
}

Benchd__Standing *standing_of_rest(uint64_t due_ns, uint64_t now_ns, Arena *arena) {
        Benchd__Standing *standing = message_new(arena, Benchd__Standing, benchd__standing);

        if (standing)
                message_set(standing, rest_ns, due_ns > now_ns ? due_ns - now_ns : 0);
        return standing;
}

Benchd__Standing *standing_of_next(const Queue *queue, uid_t uid, uint64_t now_ns, Arena *arena) {
        const QueueForecast forecast = queue_forecast_next(queue, uid, now_ns);

        return standing_build(&forecast, arena);
}

uint32_t standing_position(const Queue *queue, const QueuePlace *place, uint64_t now_ns) {
        return queue_forecast(queue, place, now_ns).jobs_before;
}
