/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/module-request.h"

ModuleRequest module_request_of_run(const Benchd__RunRequest *run) {
        return (ModuleRequest){
                .run_id = run->stored_run_id,
                .name = run->module_name ? run->module_name : "module",
                .library_names = run->library_names,
                .n_libraries = run->n_library_names,
                .filters = run->filters,
                .n_filters = run->n_filters,
                .environment = run->environment,
                .n_environment = run->n_environment,
        };
}

ModuleRequest module_request_of_comparison(const Benchd__Comparison *comparison) {
        return (ModuleRequest){
                .run_id = comparison->run_id,
                .name = comparison->module_name ? comparison->module_name : "module",
                .library_names = comparison->library_names,
                .n_libraries = comparison->n_library_names,
        };
}

ModuleRequest module_request_of_list(const Benchd__ListRequest *list) {
        return (ModuleRequest){
                .name = list->module_name ? list->module_name : "module",
                .library_names = list->library_names,
                .n_libraries = list->n_library_names,
                .filters = list->filters,
                .n_filters = list->n_filters,
                .environment = list->environment,
                .n_environment = list->n_environment,
        };
}

size_t module_request_count_fds(const ModuleRequest *request) {
        return request->run_id ? 0 : 1 + request->n_libraries;
}
