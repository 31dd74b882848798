/* SPDX-License-Identifier: MIT */

/*
 * Requests, put together from a module and options.
 */

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "benchd.pb-c.h"
#include "benchd/client.h"
#include "lib/client.h"
#include "lib/json.h"
#include "lib/module.h"
#include "lib/options.h"
#include "util/cleanup.h"
#include "util/error.h"

#define QUERY_LIMIT_MAX 1000u

/* A module's names and descriptors as a request takes them. */
typedef struct RequestModule {
        char *run_id; /* the earlier job that measured it; then nothing else is set */
        char *name;
        Benchd__Commit *commit; /* NULL: none is told */
        char *library_names[MODULE_LIBRARIES_MAX];
        size_t n_library_names;
        size_t n_preloaded;                                     /* of these, the first ones */
        int fds[2 + MODULE_LIBRARIES_MAX + OPTIONS_INPUTS_MAX]; /* for a comparison the other side's too; then inputs */
        size_t n_fds;
} RequestModule;

static int request_module_fill(RequestModule *request, const benchd_module *module, const ClientLimits *limits) {
        *request = (RequestModule){ .name = module->file.name };

        if (module->run_id) {
                *request = (RequestModule){ .run_id = module->run_id };
                return 0;
        }
        if (module->file.fd < 0)
                return error_origin(-EBADF);
        if (module->commit.id)
                request->commit = (Benchd__Commit *)&module->commit;
        if (module->file.size > limits->module_bytes)
                return BENCHD_E_TOO_LARGE;
        if (module->n_libraries > limits->libraries)
                return BENCHD_E_TOO_MANY;

        request->fds[request->n_fds++] = module->file.fd;
        for (size_t i = 0; i < module->n_libraries; i++) {
                if (module->libraries[i].size > limits->module_bytes)
                        return BENCHD_E_TOO_LARGE;
                request->library_names[request->n_library_names++] = module->libraries[i].name;
                request->fds[request->n_fds++] = module->libraries[i].fd;
        }
        request->n_preloaded = module->n_preloaded;
        return 0;
}

/* The descriptors of inputs follow all others. */
static int request_module_add_inputs(RequestModule *request, const benchd_options *options,
                const ClientLimits *limits) {
        if (!options)
                return 0;
        if (options->input_bytes_most > limits->module_bytes)
                return BENCHD_E_TOO_LARGE;
        for (size_t i = 0; i < options->request.n_input_names; i++)
                request->fds[request->n_fds++] = options->input_fds[i];
        return 0;
}

int benchd_client_run(benchd_client *client, const benchd_module *module, const benchd_options *options,
                uint64_t *ret_id) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__RunRequest run = BENCHD__RUN_REQUEST__INIT;
        RequestModule files;
        int r;

        r = request_module_fill(&files, module, client_limits(client));
        if (r == 0)
                r = request_module_add_inputs(&files, options, client_limits(client));
        if (r)
                return error_trace(r);
        if (options)
                run = options->request;
        run.stored_run_id = files.run_id;
        run.module_name = files.name;
        run.commit = files.commit;
        run.library_names = files.library_names;
        run.n_library_names = files.n_library_names;
        run.has_preloaded = files.n_preloaded > 0; /* an earlier daemon does not know it */
        run.preloaded = files.n_preloaded;
        request.run = &run;
        return error_trace(client_send(client, &request, files.fds, files.n_fds, ret_id));
}

/* Appends the descriptors of @from to @to, which has room for MODULE_LIBRARIES_MAX libraries in all. */
static int request_module_join(const RequestModule *from, RequestModule *to) {
        if (from->n_library_names + to->n_library_names > MODULE_LIBRARIES_MAX)
                return BENCHD_E_TOO_MANY;
        for (size_t i = 0; i < from->n_fds; i++)
                to->fds[to->n_fds++] = from->fds[i];
        return 0;
}

/* The two sides of a comparison and their message; the names stay the modules'. */
typedef struct RequestPair {
        RequestModule new;
        RequestModule old;
        Benchd__Comparison comparison;
} RequestPair;

static int request_pair_fill(RequestPair *pair, const benchd_module *module, const benchd_module *old,
                const ClientLimits *limits) {
        int r;

        r = request_module_fill(&pair->new, module, limits);
        if (r == 0)
                r = request_module_fill(&pair->old, old, limits);
        if (r == 0)
                r = request_module_join(&pair->old, &pair->new);
        if (r)
                return error_trace(r);
        benchd__comparison__init(&pair->comparison);
        pair->comparison.run_id = pair->old.run_id;
        pair->comparison.module_name = pair->old.name;
        pair->comparison.commit = pair->old.commit;
        pair->comparison.library_names = pair->old.library_names;
        pair->comparison.n_library_names = pair->old.n_library_names;
        pair->comparison.has_preloaded = pair->old.n_preloaded > 0;
        pair->comparison.preloaded = pair->old.n_preloaded;
        pair->comparison.benchmark = old->benchmark;
        pair->comparison.new_benchmark = module->benchmark;
        return 0;
}

int benchd_client_compare(benchd_client *client, const benchd_module *module, const benchd_module *old,
                const benchd_options *options, uint64_t *ret_id) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__RunRequest run = BENCHD__RUN_REQUEST__INIT;
        RequestPair pair;
        int r;

        r = request_pair_fill(&pair, module, old, client_limits(client));
        if (r == 0)
                r = request_module_add_inputs(&pair.new, options, client_limits(client));
        if (r)
                return error_trace(r);
        if (options)
                run = options->request;
        run.stored_run_id = pair.new.run_id;
        run.module_name = pair.new.name;
        run.commit = pair.new.commit;
        run.library_names = pair.new.library_names;
        run.n_library_names = pair.new.n_library_names;
        run.has_preloaded = pair.new.n_preloaded > 0;
        run.preloaded = pair.new.n_preloaded;
        run.comparison = &pair.comparison;
        if (module->benchmark &&
                        run.n_filters == 0) { /* written out, because a hidden benchmark runs only by its name */
                run.filters = &pair.comparison.new_benchmark;
                run.n_filters = 1;
        }
        request.run = &run;
        return error_trace(client_send(client, &request, pair.new.fds, pair.new.n_fds, ret_id));
}

int benchd_client_list(benchd_client *client, const benchd_module *module, const benchd_options *options,
                uint64_t *ret_id) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__ListRequest list = BENCHD__LIST_REQUEST__INIT;
        RequestModule files;
        int r;

        r = request_module_fill(&files, module, client_limits(client));
        if (r == 0 && files.run_id)
                r = error_origin(-EBADF);
        if (r)
                return error_trace(r);
        list.module_name = files.name;
        list.library_names = files.library_names;
        list.n_library_names = files.n_library_names;
        list.has_preloaded = files.n_preloaded > 0;
        list.preloaded = files.n_preloaded;
        if (options) {
                list.filters = options->request.filters;
                list.n_filters = options->request.n_filters;
                list.environment = options->request.environment;
                list.n_environment = options->request.n_environment;
        }
        request.list = &list;
        return error_trace(client_send(client, &request, files.fds, files.n_fds, ret_id));
}

int benchd_client_inspect(benchd_client *client, const benchd_module *module, const char *benchmark, unsigned parts,
                uint64_t *ret_id) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__InspectRequest inspect = BENCHD__INSPECT_REQUEST__INIT;
        RequestModule files;
        int r;

        r = request_module_fill(&files, module, client_limits(client));
        if (r)
                return error_trace(r);
        inspect.stored_run_id = files.run_id;
        inspect.module_name = files.name;
        inspect.library_names = files.library_names;
        inspect.n_library_names = files.n_library_names;
        inspect.benchmark = (char *)benchmark;
        inspect.has_code = true;
        inspect.code = parts & BENCHD_INSPECT_CODE;
        inspect.has_source = true;
        inspect.source = parts & BENCHD_INSPECT_SOURCE;
        request.inspect = &inspect;
        return error_trace(client_send(client, &request, files.fds, files.n_fds, ret_id));
}

/* ---- asked by their fields alone */

/* Sends the request @name with @fields, which is released; NULL: memory ran out. */
static int client_ask(benchd_client *client, const char *name, json_t *fields, uint64_t *ret_id) {
        const ProtobufCFieldDescriptor *alternative =
                        protobuf_c_message_descriptor_get_field_by_name(&benchd__request__descriptor, name);
        Benchd__Request request = BENCHD__REQUEST__INIT;
        _cleanup_(json_decrefp) json_t *own = fields;
        _cleanup_(freep) ProtobufCMessage *message = NULL;
        const ProtobufCMessageDescriptor *type;
        int r;

        if (!own)
                return error_origin(-ENOMEM);
        if (!alternative || alternative->type != PROTOBUF_C_TYPE_MESSAGE)
                return BENCHD_E_BAD_OPTION;
        type = alternative->descriptor;
        message = malloc(type->sizeof_message);
        if (!message)
                return error_origin(-ENOMEM);
        type->message_init(message);
        *(ProtobufCMessage **)((char *)&request + alternative->offset) = message;
        r = json_to_message(own, message);
        if (r == 0)
                r = client_send(client, &request, NULL, 0, ret_id);
        else if (r == JSON_E_MISFIT)
                r = BENCHD_E_BAD_OPTION;
        json_release_lists(message);
        return error_trace(r);
}

int benchd_client_ask(benchd_client *client, const char *request, const char *fields, uint64_t *ret_id) {
        json_t *json = fields ? json_loads(fields, 0, NULL) : json_object();

        return json ? error_trace(client_ask(client, request, json, ret_id)) : BENCHD_E_BAD_OPTION;
}

int benchd_client_status(benchd_client *client, uint64_t *ret_id) {
        return error_trace(client_ask(client, "status", json_object(), ret_id));
}

/* An earlier daemon does not know the field, so it is only there where it is true. */
int benchd_client_status_calibrated(benchd_client *client, uint64_t *ret_id) {
        return error_trace(client_ask(client, "status", json_pack("{sb}", "await_clock", true), ret_id));
}

int benchd_client_cancel(benchd_client *client, uint64_t request_id, uint64_t *ret_id) {
        return error_trace(
                        client_ask(client, "cancel", json_pack("{sI}", "request_id", (json_int_t)request_id), ret_id));
}

/* The daemon refuses an invalid id, so any bytes may be sent. */
static json_t *of_job(const char *run_id) {
        return json_pack("{so}", "run_id", json_string_nocheck(run_id));
}

int benchd_client_wait(benchd_client *client, const char *run_id, uint64_t *ret_id) {
        return error_trace(client_ask(client, "wait", of_job(run_id), ret_id));
}

int benchd_client_show(benchd_client *client, const char *run_id, uint64_t *ret_id) {
        return error_trace(client_ask(client, "show", of_job(run_id), ret_id));
}

int benchd_client_cancel_job(benchd_client *client, const char *run_id, uint64_t *ret_id) {
        return error_trace(client_ask(client, "cancel", of_job(run_id), ret_id));
}

int benchd_client_pin(benchd_client *client, const char *run_id, bool pinned, uint64_t *ret_id) {
        json_t *fields = of_job(run_id);

        json_object_set_new(fields, "pinned", json_boolean(pinned));
        return error_trace(client_ask(client, "pin", fields, ret_id));
}

/* ---- the history */

struct benchd_query {
        Benchd__HistoryRequest request; /* its string is the query's own */
};

int benchd_query_new(benchd_query **ret_query) {
        benchd_query *query;

        query = calloc(1, sizeof *query);
        if (!query)
                return error_origin(-ENOMEM);
        benchd__history_request__init(&query->request);
        *ret_query = query;
        return 0;
}

benchd_query *benchd_query_free(benchd_query *query) {
        if (!query)
                return NULL;
        free(query->request.module_glob);
        free(query);
        return NULL;
}

int benchd_query_set_module(benchd_query *query, const char *glob) {
        char *copy = strdup(glob);

        if (!copy)
                return error_origin(-ENOMEM);
        free(query->request.module_glob);
        query->request.module_glob = copy;
        return 0;
}

void benchd_query_set_since(benchd_query *query, uint64_t unix_ns) {
        query->request.has_since_unix_ns = true;
        query->request.since_unix_ns = unix_ns;
}

int benchd_query_set_state(benchd_query *query, const char *state) {
        int value;

        if (json_find_enum(&benchd__job_state__descriptor, state, &value) != 0)
                return BENCHD_E_BAD_OPTION;
        query->request.has_state = true;
        query->request.state = (Benchd__JobState)value;
        return 0;
}

int benchd_query_set_limit(benchd_query *query, uint32_t limit) {
        if (limit < 1 || limit > QUERY_LIMIT_MAX)
                return BENCHD_E_BAD_OPTION;
        query->request.has_limit = true;
        query->request.limit = limit;
        return 0;
}

void benchd_query_set_all_users(benchd_query *query, bool all_users) {
        query->request.has_all_users = true;
        query->request.all_users = all_users;
}

int benchd_client_history(benchd_client *client, const benchd_query *query, uint64_t *ret_id) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__HistoryRequest history = BENCHD__HISTORY_REQUEST__INIT;

        if (query)
                history = query->request;
        request.history = &history;
        return error_trace(client_send(client, &request, NULL, 0, ret_id));
}

/* ---- about the machine */

int benchd_client_set_governor(benchd_client *client, const char *name, const uint32_t *cpus, size_t n_cpus,
                uint64_t *ret_id) {
        Benchd__Request request = BENCHD__REQUEST__INIT;
        Benchd__SetGovernorRequest governor = BENCHD__SET_GOVERNOR_REQUEST__INIT;

        governor.name = (char *)name;
        governor.has_restore = !name;
        governor.restore = !name;
        governor.cpus = (uint32_t *)cpus;
        governor.n_cpus = n_cpus;
        request.set_governor = &governor;
        return error_trace(client_send(client, &request, NULL, 0, ret_id));
}
