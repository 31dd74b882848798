/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/ops.h"

#include <stdbool.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/socket.h"

static bool string_ended(const char *text) {
        return memchr(text, 0, OPS_TEXT_MAX);
}

static bool name_ended(const char *name) {
        return memchr(name, 0, OPS_GOVERNOR_NAME_MAX);
}

static bool sticky_valid(const OpsMachine *machine) {
        if (machine->n_sticky > OPS_STICKY_MAX)
                return false;
        for (uint32_t i = 0; i < machine->n_sticky; i++)
                if (!name_ended(machine->sticky[i].name))
                        return false;
        return true;
}

static bool clocks_valid(const OpsMachine *machine) {
        for (uint32_t i = 0; i < machine->n_cpus; i++)
                if (machine->cpus[i].clock.source >= _CLOCK_SOURCE_N)
                        return false;
        return machine->clock_checks.n <= CLOCK_CHECKS_MAX;
}

static bool machine_valid(const OpsMachine *machine) {
        return string_ended(machine->brand) && string_ended(machine->microcode) && string_ended(machine->hypervisor) &&
               string_ended(machine->governor) && machine->n_caches <= OPS_CACHES_MAX &&
               machine->n_cpus <= OPS_CPUS_MAX && machine->n_hidden_cores <= OPS_HIDDEN_CORES_MAX &&
               machine->n_stuck <= OPS_STUCK_MAX && sticky_valid(machine) && clocks_valid(machine);
}

static bool spawn_valid(const OpsSpawn *spawn) {
        return runner_plan_check(&spawn->plan) == 0 && spawn->timeout_ns > 0 &&
               spawn->timeout_ns <= OPS_TIMEOUT_MAX_NS && spawn->ticket != 0 &&
               (spawn->other_ticket != 0) == (spawn->plan.n_sides == 2) && spawn->plan.mode != RUNNER_MODE_CALIBRATE;
}

/* A request has a name, or asks to restore. */
static bool governor_valid(const OpsGovernor *governor) {
        return name_ended(governor->name) && (governor->name[0] ? governor->restore == 0 : governor->restore == 1);
}

static bool change_valid(const OpsChange *change) {
        return string_ended(change->file) && string_ended(change->was) && string_ended(change->is) &&
               change->outcome != OPS_OUTCOME_PENDING && change->outcome != OPS_OUTCOME_OMITTED &&
               change->outcome < _OPS_OUTCOME_N;
}

static bool governor_done_valid(const OpsGovernorDone *done) {
        if (done->end == 0 || done->end >= _OPS_GOVERNOR_END_N || done->n_changes > OPS_CHANGES_MAX ||
                        !memchr(done->names, 0, OPS_GOVERNOR_NAMES_MAX))
                return false;
        for (uint32_t i = 0; i < done->n_changes; i++)
                if (!change_valid(&done->changes[i]))
                        return false;
        return true;
}

static bool ended_valid(const OpsEnded *ended) {
        if (ended->n_controls > OPS_CONTROLS_MAX || ended->side >= RUNNER_SIDES_MAX)
                return false;
        for (uint32_t i = 0; i < ended->n_controls; i++) {
                const OpsControl *control = &ended->controls[i];

                if (!memchr(control->name, 0, sizeof control->name) || !memchr(control->was, 0, sizeof control->was) ||
                                !memchr(control->is, 0, sizeof control->is))
                        return false;
        }
        return string_ended(ended->unborn);
}

size_t ops_count_fds(const OpsRecord *record) {
        switch (record->kind) {
        case OPS_TICKET_OPEN:
                return 2 + (size_t)record->ticket_open.n_libraries + record->ticket_open.n_inputs;
        case OPS_VOUCH:
        case OPS_PEER:
        case OPS_ADOPT:
        case OPS_DROP_CACHES:
                return 1;
        case OPS_ENDED:
                return 2;
        default:
                return 0;
        }
}

int ops_check(const OpsRecord *record, size_t n_fds) {
        bool valid;

        switch (record->kind) {
        case OPS_TICKET_OPEN:
                valid = record->ticket_open.n_libraries <= RUNNER_LIBRARIES_MAX &&
                        record->ticket_open.n_inputs <= RUNNER_INPUTS_MAX;
                break;
        case OPS_SPAWN:
                valid = spawn_valid(&record->spawn);
                break;
        case OPS_MACHINE:
                valid = machine_valid(&record->machine);
                break;
        case OPS_GOVERNOR:
                valid = governor_valid(&record->governor);
                break;
        case OPS_GOVERNOR_DONE:
                valid = governor_done_valid(&record->governor_done);
                break;
        case OPS_ENDED:
                valid = ended_valid(&record->ended);
                break;
        case OPS_TICKET_CLOSE:
        case OPS_KILL:
        case OPS_REFINE:
        case OPS_READY:
        case OPS_TICKET_OPENED:
        case OPS_STARTED:
        case OPS_REFUSED:
        case OPS_REFINED:
        case OPS_VOUCH:
        case OPS_VOUCHED:
        case OPS_PEER:
        case OPS_PEER_IS:
        case OPS_ADOPT:
        case OPS_DROP_CACHES:
        case OPS_CACHES_DROPPED:
                valid = true;
                break;
        case OPS_ADOPTED:
                valid = record->adopted.affinity < _OPS_OUTCOME_N && record->adopted.group < _OPS_OUTCOME_N;
                break;
        default:
                valid = false;
                break;
        }
        return valid && n_fds == ops_count_fds(record) ? 0 : OPS_E_INVALID;
}

OpsRecord ops_refusal(uint64_t serial, OpsRefusal reason, int error) {
        return (OpsRecord){
                .kind = OPS_REFUSED,
                .serial = serial,
                .refused = { .reason = reason, .error = error },
        };
}

int ops_send(int fd, const OpsRecord *record, const int *fds, size_t n_fds) {
        size_t n;
        int r;

        r = socket_send(fd, record, sizeof *record, fds, n_fds, &n);
        if (r == SOCKET_E_AGAIN)
                return OPS_E_AGAIN;
        if (r == SOCKET_E_CLOSED)
                return OPS_E_CLOSED;
        return error_fold(r);
}

int ops_packet_complete(OpsPacket *packet, size_t n_data, const SocketFds *fds) {
        packet->n_fds = 0;
        if (n_data != sizeof packet->record)
                return OPS_E_INVALID;
        if (fds->lost) {
                const size_t n_fds = ops_count_fds(&packet->record);

                return n_fds > 0 && ops_check(&packet->record, n_fds) == 0 ? OPS_E_FDS_LOST : OPS_E_INVALID;
        }
        if (fds->n > N_ELEMENTS(packet->fds) || ops_check(&packet->record, fds->n) != 0)
                return OPS_E_INVALID;
        memcpy(packet->fds, fds->fds, fds->n * sizeof(int));
        packet->n_fds = fds->n;
        return 0;
}

static int ops_receive_with(int fd, size_t n_fds, OpsPacket *packet) {
        SocketFds came;
        size_t n;
        int r;

        r = socket_receive_some(fd, &packet->record, sizeof packet->record, n_fds, &n, &came);
        if (r == SOCKET_E_AGAIN)
                return OPS_E_AGAIN;
        if (r == SOCKET_E_CLOSED)
                return OPS_E_CLOSED;
        if (r)
                return r > 0 ? (int)OPS_E_INVALID : error_trace(r);
        r = ops_packet_complete(packet, n, &came);
        if (r)
                fds_close_received(came.fds, came.n);
        return r;
}

int ops_receive(int fd, OpsPacket *ret_packet) {
        return ops_receive_with(fd, SOCKET_FDS_MAX, ret_packet);
}

int ops_receive_bare(int fd, OpsPacket *ret_packet) {
        return ops_receive_with(fd, 0, ret_packet);
}

void ops_packet_close(OpsPacket *packet) {
        fds_close_received(packet->fds, packet->n_fds);
        packet->n_fds = 0;
}
