/* SPDX-License-Identifier: MIT */
#include "proto/run-request.h"

static const ProtobufCFieldDescriptor *field_of(const RunOption *option) {
        return protobuf_c_message_descriptor_get_field_by_name(&benchd__run_request__descriptor, option->field);
}

static void *place_of(const Benchd__RunRequest *request, unsigned offset) {
        return (char *)request + offset;
}

bool run_request_has(const Benchd__RunRequest *request, const RunOption *option) {
        const ProtobufCFieldDescriptor *field = field_of(option);

        if (field->label == PROTOBUF_C_LABEL_REPEATED)
                return *(size_t *)place_of(request, field->quantifier_offset) > 0;
        if (field->type == PROTOBUF_C_TYPE_STRING)
                return *(char **)place_of(request, field->offset);
        return *(protobuf_c_boolean *)place_of(request, field->quantifier_offset);
}

bool run_request_asks(const Benchd__RunRequest *request, const RunOption *option) {
        return run_request_has(request, option) &&
               (field_of(option)->type != PROTOBUF_C_TYPE_BOOL || run_request_number(request, option));
}

uint64_t run_request_number(const Benchd__RunRequest *request, const RunOption *option) {
        const ProtobufCFieldDescriptor *field = field_of(option);
        const void *place = place_of(request, field->offset);

        if (!run_request_has(request, option))
                return 0;
        if (field->type == PROTOBUF_C_TYPE_BOOL)
                return *(const protobuf_c_boolean *)place;
        return field->type == PROTOBUF_C_TYPE_UINT64 ? *(const uint64_t *)place : *(const uint32_t *)place;
}

double run_request_fraction(const Benchd__RunRequest *request, const RunOption *option) {
        return run_request_has(request, option) ? *(double *)place_of(request, field_of(option)->offset) : 0;
}

static void request_note(Benchd__RunRequest *request, const ProtobufCFieldDescriptor *field) {
        *(protobuf_c_boolean *)place_of(request, field->quantifier_offset) = true;
}

void run_request_set_number(Benchd__RunRequest *request, const RunOption *option, uint64_t number) {
        const ProtobufCFieldDescriptor *field = field_of(option);
        void *place = place_of(request, field->offset);

        if (field->type == PROTOBUF_C_TYPE_BOOL)
                *(protobuf_c_boolean *)place = number;
        else if (field->type == PROTOBUF_C_TYPE_UINT64)
                *(uint64_t *)place = number;
        else
                *(uint32_t *)place = number;
        request_note(request, field);
}

void run_request_set_fraction(Benchd__RunRequest *request, const RunOption *option, double fraction) {
        const ProtobufCFieldDescriptor *field = field_of(option);

        *(double *)place_of(request, field->offset) = fraction;
        request_note(request, field);
}

char **run_request_text(Benchd__RunRequest *request, const RunOption *option) {
        return place_of(request, field_of(option)->offset);
}

bool run_request_is_in_range(const Benchd__RunRequest *request, const RunOption *option) {
        if (option->kind == RUN_OPTION_PERCENT) {
                const double fraction = run_request_fraction(request, option);

                return fraction >= option->least / 100 && fraction <= option->most / 100;
        }
        return run_request_number(request, option) >= run_option_field_least(option) &&
               run_request_number(request, option) <= run_option_field_most(option);
}
