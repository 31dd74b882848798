/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The shield, with systemd played by a table: what a unit was allowed is noted, narrowed, and given back. Whether it
 * holds is read from the control groups.
 */

#include <sys/un.h>
#include <systemd/sd-bus.h>

#include "launch/lease/shield.h"
#include "machine/restore-journal.h"
#include "machine/restore.h"

#include "machine.h"
#include "mortal.h"

typedef struct Unit {
        const char *key;
        char allowed[64];
        bool refuses;
} Unit;

static Unit units[3];

static int reset(void **state) {
        units[0] = (Unit){ .key = "system.slice AllowedCPUs" };
        units[1] = (Unit){ .key = "user.slice AllowedCPUs", .allowed = "2-7" };
        units[2] = (Unit){ .key = "init.scope AllowedCPUs", .allowed = "7", .refuses = true };
        return 0;
}

static Unit *find(const char *key) {
        for (size_t i = 0; i < N_ELEMENTS(units); i++)
                if (strcmp(units[i].key, key) == 0)
                        return &units[i];
        return NULL;
}

static int unit_read(void *context, const char *key, char *value, size_t n_value) {
        const Unit *unit = find(key);

        if (!unit)
                return RESTORE_HAND_E_GONE;
        snprintf(value, n_value, "%s", unit->allowed);
        return 0;
}

static int unit_write(void *context, const char *key, const char *value) {
        Unit *unit = find(key);

        if (!unit || unit->refuses)
                return unit ? RESTORE_HAND_E_REFUSED : RESTORE_HAND_E_GONE;
        snprintf(unit->allowed, sizeof unit->allowed, "%s", value);
        return 0;
}

TEST(units_are_narrowed_to_what_is_not_leased_and_given_back, reset) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        RestoreHands hands = { .hands[RESTORE_UNIT_PROPERTY] = { .read = unit_read, .write = unit_write } };
        const RestoreHand *hand = &hands.hands[RESTORE_UNIT_PROPERTY];
        cpu_set_t others = cpus("0-1"), few = cpus("7"), more = cpus("3,7");

        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(shield_raise(journal, hand, &few, &others), 0);
        assert_string_equal(units[0].allowed, "0-1");
        assert_string_equal(units[1].allowed, "2-6");
        assert_int_equal(shield_raise(journal, hand, &more, &others), 0);
        assert_string_equal(units[1].allowed, "2,4-6");
        assert_string_equal(units[2].allowed, "7");
        assert_int_equal(restore_journal_count(journal), 2);

        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_string_equal(units[0].allowed, "");
        assert_string_equal(units[1].allowed, "2-7");
        assert_int_equal(restore_journal_count(journal), 0);
}

TEST(a_unit_that_was_narrowed_by_somebody_else_meanwhile_is_left_alone, reset) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        _cleanup_(restore_journal_closep) RestoreJournal *journal = NULL;
        RestoreHands hands = { .hands[RESTORE_UNIT_PROPERTY] = { .read = unit_read, .write = unit_write } };
        cpu_set_t others = cpus("0-1"), leased = cpus("7");

        assert_int_equal(restore_journal_open(machine->root, "journal", &journal), 0);
        assert_int_equal(shield_raise(journal, &hands.hands[RESTORE_UNIT_PROPERTY], &leased, &others), 0);
        strcpy(units[1].allowed, "4");
        assert_int_equal(restore_all(journal, &hands, NULL, NULL), 0);
        assert_string_equal(units[1].allowed, "4");
}

TEST(it_holds_only_if_no_group_has_a_leased_cpu) {
        _cleanup_(machine_freep) Machine *machine = machine_new();
        cpu_set_t leased = cpus("3,7");

        assert_false(shield_holds(machine->root, &leased));
        machine_put(machine, "sys/fs/cgroup/system.slice/cgroup.procs", "1");
        assert_false(shield_holds(machine->root, &leased));
        machine_put(machine, "sys/fs/cgroup/system.slice/cpuset.cpus.effective", "0-2,4-6");
        assert_true(shield_holds(machine->root, &leased));
        machine_put(machine, "sys/fs/cgroup/user.slice/cgroup.procs", "2");
        machine_put(machine, "sys/fs/cgroup/user.slice/cpuset.cpus.effective", "0-3");
        assert_false(shield_holds(machine->root, &leased));
}

/*
 * What systemd is asked about a unit's CPUs, with a stand-in for it in a process of its own: what each answer, a hang-up and
 * silence come to. The real one is in the guest of tests/vm.
 */

#define KEY "user.slice AllowedCPUs"

/* The behaviour of the stand-in on its first connection; on later ones it answers. */
typedef enum Conduct {
        CONDUCT_ANSWER,
        CONDUCT_NOT_FOUND,
        CONDUCT_HANG_UP, /* at the second call */
        CONDUCT_SILENCE,
} Conduct;

static char directory[] = "/tmp/unit-cpus.XXXXXX", address[64];
static pid_t systemd;
static int told_calls; /* a record for each call that the stand-in got: how many there were */
static int tell_calls;
static ShieldUnits *unit_cpus;
static RestoreHand hand;

/* ---- the stand-in */

typedef struct StandIn {
        Conduct conduct;
        unsigned n_calls;
        uint8_t cpus;
} StandIn;

static int answer_property(const StandIn *stand_in, sd_bus_message *message) {
        const char *interface, *name;
        sd_bus_message *reply;

        if (sd_bus_message_read(message, "ss", &interface, &name) < 0)
                return -EINVAL;
        if (strcmp(name, "LoadState") == 0)
                return sd_bus_reply_method_return(message, "v", "s",
                                stand_in->conduct == CONDUCT_NOT_FOUND ? "not-found" : "loaded");
        sd_bus_message_new_method_return(message, &reply);
        sd_bus_message_open_container(reply, 'v', "ay");
        sd_bus_message_append_array(reply, 'y', &stand_in->cpus, stand_in->cpus ? 1 : 0);
        sd_bus_message_close_container(reply);
        sd_bus_send(NULL, reply, NULL);
        sd_bus_message_unref(reply);
        return 1;
}

static int answer_set(StandIn *stand_in, sd_bus_message *message) {
        const void *bytes;
        size_t n;

        if (sd_bus_message_skip(message, "sb") < 0 || sd_bus_message_enter_container(message, 'a', "(sv)") < 0 ||
                        sd_bus_message_enter_container(message, 'r', "sv") < 0 ||
                        sd_bus_message_skip(message, "s") < 0 ||
                        sd_bus_message_enter_container(message, 'v', "ay") < 0 ||
                        sd_bus_message_read_array(message, 'y', &bytes, &n) < 0)
                return -EINVAL;
        stand_in->cpus = n > 0 ? *(const uint8_t *)bytes : 0;
        return sd_bus_reply_method_return(message, NULL);
}

static int on_call(sd_bus_message *message, void *userdata, sd_bus_error *error) {
        StandIn *stand_in = userdata;

        stand_in->n_calls++;
        if (write(tell_calls, &stand_in->n_calls, sizeof stand_in->n_calls) < 0)
                _exit(EXIT_FAILURE);
        if (stand_in->conduct == CONDUCT_SILENCE)
                return 1;
        if (stand_in->conduct == CONDUCT_HANG_UP && stand_in->n_calls == 2) {
                sd_bus_close(sd_bus_message_get_bus(message));
                return 1;
        }
        if (sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "Get"))
                return answer_property(stand_in, message);
        return answer_set(stand_in, message);
}

static void serve(int fd, StandIn *stand_in) {
        sd_id128_t id = {};
        sd_bus *bus;

        if (sd_bus_new(&bus) < 0 || sd_bus_set_fd(bus, fd, fd) < 0 || sd_bus_set_server(bus, 1, id) < 0 ||
                        sd_bus_set_anonymous(bus, 1) < 0 || sd_bus_start(bus) < 0 ||
                        sd_bus_add_filter(bus, NULL, on_call, stand_in) < 0)
                _exit(EXIT_FAILURE);
        while (sd_bus_is_open(bus) > 0)
                if (sd_bus_process(bus, NULL) == 0)
                        sd_bus_wait(bus, UINT64_MAX);
        sd_bus_unref(bus);
}

/* Serves one connection after the other, the first by @first and those after it as it should. */
static void stand_in_run(int listener, Conduct first) {
        StandIn stand_in = { .conduct = first };

        for (;;) {
                int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

                if (fd < 0)
                        _exit(EXIT_FAILURE);
                serve(fd, &stand_in);
                stand_in.conduct = CONDUCT_ANSWER;
        }
}

static void begin(Conduct first) {
        struct sockaddr_un name = { .sun_family = AF_UNIX };
        int listener;

        snprintf(name.sun_path, sizeof name.sun_path, "%s/systemd", directory);
        snprintf(address, sizeof address, "unix:path=%s/systemd", directory);
        listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof name), 0);
        assert_int_equal(listen(listener, 1), 0);
        systemd = fork_mortal();
        if (systemd == 0)
                stand_in_run(listener, first);
        assert_int_equal(close(listener), 0);
        assert_int_equal(shield_units_new(address, &unit_cpus), 0);
        shield_units_hand(unit_cpus, &hand);
}

static int set_up(void **state) {
        int ends[2];

        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
                return -1;
        told_calls = ends[0];
        tell_calls = ends[1];
        return mkdtemp(strcpy(directory, "/tmp/unit-cpus.XXXXXX")) ? 0 : -1;
}

static int tear_down(void **state) {
        char path[64];

        unit_cpus = shield_units_free(unit_cpus);
        close(told_calls);
        close(tell_calls);
        if (systemd > 0) {
                kill(systemd, SIGKILL);
                waitpid(systemd, NULL, 0);
        }
        snprintf(path, sizeof path, "%s/systemd", directory);
        unlink(path);
        return rmdir(directory);
}

/* ---- tests */

TEST(what_is_written_is_read_again_and_nothing_is_any, set_up, tear_down) {
        char value[64];

        begin(CONDUCT_ANSWER);
        assert_int_equal(hand.write(hand.context, KEY, "0,2-3"), 0);
        assert_int_equal(hand.read(hand.context, KEY, value, sizeof value), 0);
        assert_string_equal(value, "0,2-3");
        assert_int_equal(hand.write(hand.context, KEY, ""), 0);
        assert_int_equal(hand.read(hand.context, KEY, value, sizeof value), 0);
        assert_string_equal(value, "");
}

TEST(a_unit_that_systemd_does_not_know_is_gone, set_up, tear_down) {
        char value[64];

        begin(CONDUCT_NOT_FOUND);
        assert_int_equal(hand.read(hand.context, KEY, value, sizeof value), RESTORE_HAND_E_GONE);
}

/* As when it is upgraded: what it was told before holds. */
TEST(after_a_hang_up_it_is_asked_again, set_up, tear_down) {
        char value[64];

        begin(CONDUCT_HANG_UP);
        assert_int_equal(hand.write(hand.context, KEY, "1"), 0);
        assert_int_equal(hand.read(hand.context, KEY, value, sizeof value), 0);
        assert_string_equal(value, "1");
}

/* The loop waits for it once, not for every unit. */
TEST(one_that_says_nothing_is_not_gone_and_not_asked_again_at_once, set_up, tear_down) {
        char value[64];
        unsigned n_calls = 0;

        begin(CONDUCT_SILENCE);
        for (int i = 0; i < 10; i++)
                assert_int_equal(hand.read(hand.context, KEY, value, sizeof value), RESTORE_HAND_E_REFUSED);
        assert_int_equal(read(told_calls, &n_calls, sizeof n_calls), sizeof n_calls);
        assert_int_equal(n_calls, 1);
        assert_int_equal(read(told_calls, &n_calls, sizeof n_calls), -1);
}

TEST(one_that_hung_up_for_good_is_not_gone, set_up, tear_down) {
        char value[64];

        begin(CONDUCT_ANSWER);
        kill(systemd, SIGKILL);
        waitpid(systemd, NULL, 0);
        systemd = 0;
        assert_int_equal(hand.read(hand.context, KEY, value, sizeof value), RESTORE_HAND_E_REFUSED);
        assert_int_equal(hand.write(hand.context, KEY, ""), RESTORE_HAND_E_REFUSED);
}

TEST(without_systemd_it_is_unavailable, set_up, tear_down) {
        assert_int_equal(shield_units_new("unix:path=/nonexistent/systemd", &unit_cpus), SHIELD_UNITS_E_UNAVAILABLE);
}
