/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/machine-facts.h"

#include <jansson.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/json-path.h"
#include "ctl/model/arguments.h"
#include "ctl/model/commit.h"
#include "ctl/model/platform.h"
#include "ctl/model/preloaded.h"
#include "ctl/model/result.h"
#include "util/amount.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

static void print_text(const json_t *result, const char *path, FILE *out) {
        fputs(json_text_or(result, path, ""), out);
}

/* The module of whole commands is no user's. */
static void print_of_module(const json_t *result, const char *path, FILE *out) {
        if (!result_is_of_commands(result))
                print_text(result, path, out);
}

static void print_number(const json_t *result, const char *path, FILE *out) {
        const json_t *number = json_at(result, path);

        if (json_is_number(number))
                arguments_print_value(number, out);
}

static void print_clock(const json_t *result, const char *path, FILE *out) {
        char text[PLATFORM_CLOCK_MAX];

        if (platform_describe_clock(json_at(result, path), text))
                fputs(text, out);
}

static void print_date(const json_t *result, const char *path, FILE *out) {
        const char *iso = json_text_at(result, path);
        char date[INSTANT_TEXT_MAX];

        if (iso && instant_local(iso, "%Y-%m-%d %H:%M:%S %Z", date))
                fputs(date, out);
}

static void print_list(const json_t *result, const char *path, FILE *out) {
        const json_t *item;

        json_each(i, item, json_at(result, path)) {
                fputs(i ? ", " : "", out);
                arguments_print_value(item, out);
        }
}

static void print_list_always(const json_t *result, const char *path, FILE *out) {
        print_list(result, path, out);
        fputs(json_array_size(json_at(result, path)) == 0 ? "none" : "", out);
}

static void print_load(const json_t *result, const char *path, FILE *out) {
        double load;

        if (json_number_at(result, path, &load))
                fprintf(out, "%.2f", load);
}

static void print_bytes(double bytes, FILE *out) {
        char text[AMOUNT_TEXT_MAX];

        fputs(amount_bytes(bytes, 3, text), out);
}

static void print_memory(const json_t *json, const char *path, FILE *out) {
        double bytes;

        if (json_number_at(json, path, &bytes))
                print_bytes(bytes, out);
}

static void print_memory_counted(const json_t *json, const char *path, FILE *out) {
        const json_t *bytes = json_at(json, path);

        if (json_is_integer(bytes))
                print_bytes(condition_memory_bytes((uint64_t)json_integer_value(bytes)), out);
}

static void print_commit(const json_t *result, const char *path, FILE *out) {
        const json_t *commit = json_at(result, path);
        const char *subject = json_text_at(commit, "subject");

        if (commit_print(commit, out) && subject)
                fprintf(out, " (%s)", subject);
}

static const MachineFact facts[] = {
        { "machine", CONDITION_NONE, print_text, "environment.machine.name", FACT_ON_PAGE | FACT_IN_STATUS },
        { "machine id", CONDITION_NONE, print_text, "environment.machine.id", FACT_IN_STATUS },
        { "machine class", CONDITION_NONE, print_text, "environment.machine.class", FACT_ON_PAGE | FACT_IN_STATUS },
        { "CPU", CONDITION_CPU, print_text, "environment.cpu.brand", FACT_ON_PAGE | FACT_IN_STATUS },
        { "CPU model", CONDITION_MODEL, platform_print_model, "environment.cpu", FACT_ON_PAGE | FACT_IN_STATUS },
        { "microcode", CONDITION_MICROCODE, print_text, "environment.cpu.microcode", FACT_ON_PAGE | FACT_IN_STATUS },
        { "caches", CONDITION_CACHES, platform_print_caches, "environment.cpu.caches", FACT_ON_PAGE | FACT_IN_STATUS },
        { "processors", CONDITION_PROCESSORS, print_number, "environment.processors", FACT_ON_PAGE | FACT_IN_STATUS },
        { "memory", CONDITION_NONE, print_memory, "environment.memory_bytes", FACT_ON_PAGE | FACT_IN_STATUS },
        { NULL, CONDITION_MEMORY, print_memory_counted, "environment.memory_bytes", 0 },
        { "hypervisor", CONDITION_NONE, print_text, "environment.hypervisor", FACT_ON_PAGE | FACT_IN_STATUS },
        { "system", CONDITION_NONE, print_text, "environment.system", FACT_ON_PAGE | FACT_IN_STATUS },
        { "kernel", CONDITION_KERNEL, print_text, "environment.kernel", FACT_ON_PAGE | FACT_IN_STATUS },
        { "C library", CONDITION_NONE, print_text, "environment.libc", FACT_ON_PAGE | FACT_IN_STATUS },
        { "clock", CONDITION_NONE, print_clock, "environment.tsc", FACT_ON_PAGE },
        { NULL, CONDITION_CLOCK, print_text, "environment.tsc.clock", 0 },
        { "governor", CONDITION_NONE, print_text, "environment.governor", FACT_ON_PAGE | FACT_IN_STATUS },
        { "power", CONDITION_NONE, print_text, "environment.power_source", FACT_ON_PAGE },
        { "load", CONDITION_NONE, print_load, "environment.load", FACT_ON_PAGE },
        { "measured on CPU", CONDITION_NONE, print_list, "environment.cpus", FACT_ON_PAGE },
        { "isolation", CONDITION_NONE, print_text, "environment.isolation", FACT_ON_PAGE | FACT_IN_STATUS },
        { "scheduler", CONDITION_SCHEDULER, print_text, "environment.scheduler", FACT_ON_PAGE | FACT_IN_STATUS },
        { "module", CONDITION_NONE, print_of_module, "module.name", FACT_ON_PAGE },
        { "old module", CONDITION_NONE, print_of_module, "old_module.name", FACT_ON_PAGE },
        { "commit", CONDITION_NONE, print_commit, "module.commit", FACT_ON_PAGE },
        { "old commit", CONDITION_NONE, print_commit, "old_module.commit", FACT_ON_PAGE },
        { "compiler", CONDITION_NONE, platform_print_compiler, "", FACT_ON_PAGE },
        { "preloaded", CONDITION_NONE, preloaded_print, "", FACT_ON_PAGE },
        { NULL, CONDITION_PRELOADED, preloaded_print_always, "", 0 },
        { NULL, CONDITION_INSTRUMENTS, print_list_always, "instrumented", 0 },
        { "flags", CONDITION_NONE, print_of_module, "module.flags", FACT_ON_PAGE | FACT_IS_LONG },
        { "old flags", CONDITION_NONE, print_of_module, "old_module.flags", FACT_ON_PAGE | FACT_IS_LONG },
        { "SHA-256", CONDITION_NONE, print_of_module, "module.sha256", FACT_ON_PAGE | FACT_IS_LONG },
        { "commands", CONDITION_NONE, print_list, "commands", FACT_ON_PAGE | FACT_IS_LONG },
        { "old SHA-256", CONDITION_NONE, print_of_module, "old_module.sha256", FACT_ON_PAGE | FACT_IS_LONG },
        { "method", CONDITION_METHOD, print_text, "method", FACT_ON_PAGE },
        { "seed", CONDITION_NONE, print_number, "seed", FACT_ON_PAGE },
        { "started", CONDITION_NONE, print_date, "started_at", FACT_ON_PAGE },
        { "job", CONDITION_NONE, print_text, "run_id", FACT_ON_PAGE | FACT_IS_LONG },
        { "comparability key", CONDITION_NONE, print_text, "comparability_key", FACT_ON_PAGE | FACT_IS_LONG },
};

const MachineFact *machine_fact_at(size_t index) {
        return index < N_ELEMENTS(facts) ? &facts[index] : NULL;
}

char *machine_fact_text(const MachineFact *fact, const json_t *json) {
        _cleanup_(text_stream_clear) TextStream text = {};

        fact->print(json, fact->path, text_stream_open(&text));
        return text_stream_take(&text);
}
