/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/fleet/warnings.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"
#include "words/warning.h"

#define NAMES_MAX 3u /* rows that a sentence names; the document has the others */

int fleet_warnings_new(FleetWarnings *ret_noted) {
        FleetWarnings noted = {};

        for (size_t i = 0; i < _FLEET_WARNING_N; i++) {
                noted.rows[i] = json_object();
                if (!noted.rows[i]) {
                        fleet_warnings_clear(&noted);
                        return error_origin(-ENOMEM);
                }
        }
        *ret_noted = noted;
        return 0;
}

void fleet_warnings_clear(FleetWarnings *noted) {
        for (size_t i = 0; i < _FLEET_WARNING_N; i++)
                json_decref(noted->rows[i]);
        *noted = (FleetWarnings){};
}

/* Without the full stop: within a sentence. */
static size_t words_length(const char *words) {
        const size_t n = strlen(words);

        return n > 0 && words[n - 1] == '.' ? n - 1 : n;
}

int fleet_warnings_note(FleetWarnings *noted, FleetWarning kind, const char *whose, const json_t *row,
                const char *why) {
        _cleanup_(freep) char *path = row_path(row);
        json_t *rows = json_object_get(noted->rows[kind], whose);

        if (!path)
                return error_origin(-ENOMEM);
        if (!rows) {
                rows = json_array();
                if (json_object_set_new(noted->rows[kind], whose, rows) < 0)
                        return error_origin(-ENOMEM);
        }
        return json_array_append_new(rows, why ? json_sprintf("%s (%.*s)", path, (int)words_length(why), why)
                                               : json_string(path)) == 0
                               ? 0
                               : error_origin(-ENOMEM);
}

/* ---- words */

char *fleet_class_words(const FleetClass *class) {
        const char *brand = class->brand ? class->brand : "unknown processor";
        char *text;
        int n;

        if (class->name)
                n = asprintf(&text, "class %s (%s)", class->name, brand);
        else
                n = asprintf(&text, "an unknown class (%s)", brand);
        return n < 0 ? NULL : text;
}

/* "2 of 8 rows (a/b, a/c)", or the one row's path. */
static char *rows_words(const FleetWarnings *noted, const json_t *rows) {
        const size_t n = json_array_size(rows);
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        if (n == 1)
                fputs(json_string_value(json_array_get(rows, 0)), out);
        else
                fprintf(out, "%zu of %zu rows (", n, noted->n_rows);
        for (size_t i = 0; n > 1 && i < n && i < NAMES_MAX; i++)
                fprintf(out, "%s%s", i > 0 ? ", " : "", json_string_value(json_array_get(rows, i)));
        if (n > NAMES_MAX)
                fprintf(out, ", and %zu more", n - NAMES_MAX);
        if (n > 1)
                fputc(')', out);
        return text_stream_take(&text);
}

__attribute__((format(printf, 3, 4))) static int add(json_t *warnings, WarningKind kind, const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&text, format, arguments);
        va_end(arguments);
        if (n < 0) {
                text = NULL;
                return error_origin(-ENOMEM);
        }
        return json_array_append_new(warnings,
                               json_pack("{s:s, s:s}", "kind", warning_words(kind)->kind, "text", text)) == 0
                               ? 0
                               : error_origin(-ENOMEM);
}

/* ---- machines and classes */

static bool same_text(const char *a, const char *b) {
        return a && b && strcmp(a, b) == 0;
}

static int warn_left_out(const FleetMember *member, json_t *warnings) {
        static const struct {
                const char *state;
                WarningKind kind;
                const char *text;
        } rows[] = {
                { "refused", WARNING_MACHINE_REFUSED, "refused the run" },
                { "partial", WARNING_MACHINE_PARTIAL, "was cancelled before all of its processes had run" },
                { "lost", WARNING_MACHINE_LOST, "was lost before its result was complete" },
        };
        const char *message = json_text_at(member->machine, "error.message"), *state = fleet_member_state(member);
        size_t i = 0;

        if (fleet_refuses_module(member->machine))
                return add(warnings, WARNING_MACHINE_REFUSED,
                                "%s cannot load the module, so every benchmark has failed: %s", member->name,
                                message ? message : "no reason given");

        if (json_text_is(member->machine, "error.code", "unreachable"))
                return add(warnings, WARNING_MACHINE_REFUSED, "%s is left out: %s", member->name,
                                message ? message : "it cannot be reached");
        while (i + 1 < N_ELEMENTS(rows) && strcmp(state, rows[i].state) != 0)
                i++;
        return add(warnings, rows[i].kind, "%s %s, and is left out%s%s", member->name, rows[i].text,
                        message ? ": " : "", message ? message : "");
}

static int warn_member(const FleetMembers *members, const FleetMember *member, json_t *warnings) {
        int r = 0;

        if (!member->counts)
                return error_trace(warn_left_out(member, warnings));
        if (!members->classes[member->class_index].name && members->n > 1)
                r = add(warnings, WARNING_NO_CLASS,
                                "%s does not report the class of its machine, so it is pooled with no other: %s",
                                member->name, warning_words(WARNING_NO_CLASS)->advice);
        return error_trace(r);
}

static int warn_class(const FleetMembers *members, size_t index, const FleetPolicy *policy, json_t *warnings) {
        const FleetClass *class = &members->classes[index];
        _cleanup_(freep) char *words = fleet_class_words(class);
        const bool unknown = class->n_left_out == 0 && members->n_unknown > 0;
        const char *plural = class->n == 1 ? "" : "s";

        if (!words)
                return error_origin(-ENOMEM);
        if (fleet_policy_is_strict(policy, members, index) && class->n < policy->min_machines)
                return add(warnings, WARNING_BELOW_MIN_MACHINES,
                                "only %zu machine%s of %s %s a complete result (--min-machines=%zu)%s: there is no combined "
                                "number, only each machine's own. %s, or lower --min-machines",
                                class->n, plural, words, class->n == 1 ? "has" : "have", policy->min_machines,
                                unknown ? ", and the class of a machine that is left out is not known" : "",
                                unknown || class->n_left_out > 0 ? "Run it again" : "Add machines of this class");
        if (class->n >= MACHINES_N_MIN || (!class->name && members->n > 1))
                return 0;
        return add(warnings, WARNING_FEW_MACHINES,
                        "only %zu machine%s of %s: the numbers hold for %s, not for others of the class. An interval "
                        "over machines takes %u or more",
                        class->n, plural, words, class->n == 1 ? "this one" : "these", MACHINES_N_MIN);
}

static bool has_id(const FleetMember *member, const char *id) {
        return same_text(fleet_member_id(member), id);
}

static bool has_verdict(const FleetMember *member, const char *verdict) {
        return same_text(json_text_at(member->result, "verdict"), verdict);
}

/* The names of the counting machines for which @has is true, as "a, b and c"; NULL if memory ran out. */
static char *names_of(const FleetMembers *members, bool (*has)(const FleetMember *member, const char *text),
                const char *text, size_t *ret_n) {
        _cleanup_(text_stream_clear) TextStream names = {};
        FILE *out = text_stream_open(&names);
        size_t n = 0, n_all = 0;

        for (size_t i = 0; i < members->n; i++)
                n_all += members->members[i].counts && has(&members->members[i], text);
        for (size_t i = 0; i < members->n; i++)
                if (members->members[i].counts && has(&members->members[i], text)) {
                        fprintf(out, "%s%s", n == 0 ? "" : n + 1 == n_all ? " and " : ", ", members->members[i].name);
                        n++;
                }
        if (text_stream_close(&names) < 0)
                return NULL;
        *ret_n = n;
        return take_pointer(names.text);
}

/* Once for all of them: on a busy site it is each machine. */
static int warn_unfit(const FleetMembers *members, json_t *warnings) {
        _cleanup_(freep) char *names = NULL;
        size_t n;

        names = names_of(members, has_verdict, "unfit", &n);
        if (!names)
                return error_origin(-ENOMEM);
        if (n == 0)
                return 0;
        return error_trace(add(warnings, WARNING_MACHINE_UNFIT,
                        "the result%s of %s %s not reliable, nor is any number that includes %s: the warnings of %s "
                        "say why",
                        n == 1 ? "" : "s", names, n == 1 ? "is" : "are", n == 1 ? "it" : "them",
                        n == 1 ? "this machine" : "these machines"));
}

/* True if @i is the first of several names of one machine. */
static bool is_first_of_several(const FleetMembers *members, size_t i) {
        const char *id = members->members[i].counts ? fleet_member_id(&members->members[i]) : NULL;
        size_t n = 0;

        for (size_t j = 0; id && j < members->n; j++) {
                const bool same = members->members[j].counts && same_text(fleet_member_id(&members->members[j]), id);

                if (same && j < i)
                        return false;
                n += same;
        }
        return n > 1;
}

static int warn_same(const FleetMembers *members, json_t *warnings) {
        for (size_t i = 0; i < members->n; i++) {
                _cleanup_(freep) char *names = NULL;
                size_t n;
                int r;

                if (!is_first_of_several(members, i))
                        continue;
                names = names_of(members, has_id, fleet_member_id(&members->members[i]), &n);
                if (!names)
                        return error_origin(-ENOMEM);
                r = add(warnings, WARNING_SAME_MACHINE,
                                "%s have one machine id, as one machine under several names has: it then counts several times, "
                                "and the interval is too narrow: %s",
                                names, warning_words(WARNING_SAME_MACHINE)->advice);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

static int warn_machines(const FleetMembers *members, const FleetPolicy *policy, json_t *warnings) {
        size_t n_known = 0;
        int r = 0;

        if (members->cancelled)
                r = add(warnings, WARNING_MACHINE_PARTIAL,
                                "the run was cancelled: there is no number over machines, only each machine's own of the "
                                "processes that had run");
        for (size_t i = 0; i < members->n_classes; i++)
                n_known += members->classes[i].name != NULL;
        for (size_t i = 0; r == 0 && i < members->n; i++)
                r = members->cancelled && members->members[i].counts
                                    ? 0
                                    : warn_member(members, &members->members[i], warnings);
        if (r == 0 && !members->cancelled)
                r = warn_unfit(members, warnings);
        if (r == 0 && n_known > 1)
                r = add(warnings, WARNING_CLASSES,
                                "the machines are of %zu classes, which are never pooled: each has separate rows",
                                n_known);
        if (r == 0 && !members->cancelled)
                r = warn_same(members, warnings);
        for (size_t i = 0; r == 0 && !members->cancelled && i < members->n_classes; i++)
                r = warn_class(members, i, policy, warnings);
        return error_trace(r);
}

/* ---- rows */

/* The name of what the rows are of stands before @before, the rows between that and @after, and the kind's advice behind a colon. */
static const struct {
        WarningKind kind;
        const char *before, *after;
} row_warnings[_FLEET_WARNING_N] = {
        [FLEET_WARNING_ODD_MACHINE] = { WARNING_ODD_MACHINE, " lies apart from all others in ", "" },
        [FLEET_WARNING_SKIPPED_ROW] = { WARNING_MISSING_ROW, " skipped ", "" },
        [FLEET_WARNING_MISSING_ROW] = { WARNING_MISSING_ROW, " lacks ", "" },
        [FLEET_WARNING_MACHINES_DIFFER] = { WARNING_MACHINES_DIFFER, ": its machines differ in ",
                        " by more than their processes explain, and by more than the margin" },
        [FLEET_WARNING_NO_LOGARITHM] = { WARNING_NO_LOGARITHM, ": a time of 0 or less on a machine leaves ",
                        " without a number over machines" },
        [FLEET_WARNING_CHANCE_AMONG_ROWS] = { WARNING_CHANCE_AMONG_ROWS, "", ", beyond the margin on its own" },
        [FLEET_WARNING_UNDECIDABLE] = { WARNING_MACHINES_UNDECIDABLE, "no number of machines is known to decide ", "" },
};

static int warn_rows(const FleetWarnings *noted, json_t *warnings) {
        for (FleetWarning i = 0; i < _FLEET_WARNING_N; i++) {
                const char *whose;
                json_t *rows;

                json_object_foreach(noted->rows[i], whose, rows) {
                        _cleanup_(freep) char *words = rows_words(noted, rows);
                        int r;

                        if (!words)
                                return error_origin(-ENOMEM);
                        r = add(warnings, row_warnings[i].kind, "%s%s%s%s: %s", whose, row_warnings[i].before, words,
                                        row_warnings[i].after, warning_words(row_warnings[i].kind)->advice);
                        if (r)
                                return error_trace(r);
                }
        }
        return 0;
}

int fleet_warnings_write(const FleetWarnings *noted, const FleetMembers *members, const FleetPolicy *policy,
                json_t **ret_warnings) {
        _cleanup_(json_decrefp) json_t *warnings = json_array();
        int r;

        if (!warnings)
                return error_origin(-ENOMEM);
        r = warn_machines(members, policy, warnings);
        if (r == 0)
                r = warn_rows(noted, warnings);
        if (r)
                return error_trace(r);
        *ret_warnings = take_pointer(warnings);
        return 0;
}
