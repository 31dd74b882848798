/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/base/job-places.h"

#include <inttypes.h>

#include "front/base/config.h"

size_t job_places_for(const Config *config, uid_t uid) {
        if (uid == 0)
                return config->jobs;
        return config->jobs_for_root < config->jobs ? config->jobs - config->jobs_for_root : 1;
}

void job_places_refuse(const Config *config, uid_t uid, bool user_full, ReplyError *ret_why) {
        const size_t places = job_places_for(config, uid), for_root = config->jobs - places;

        if (user_full) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY,
                                "This user has %" PRIu64 " job%s waiting or under way, as many as one may have.",
                                config->jobs_per_user, config->jobs_per_user == 1 ? "" : "s");
                reply_error_hint(ret_why, "Try again when one of them has ended. The limit is jobs_per_user= of "
                                          "benchd.conf.");
                return;
        }
        if (for_root > 0)
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY,
                                "All %zu places for jobs are taken; %zu more are kept for root.", places, for_root);
        else
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BUSY, "All %zu places for jobs are taken.", places);
        reply_error_hint(ret_why, "Try again when a job has ended. The limit is jobs= of benchd.conf%s.",
                        for_root > 0 ? ", of which jobs_for_root= are root's" : "");
}
