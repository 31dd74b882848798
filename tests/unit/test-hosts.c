/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The machines that --host names, from a list, a file, and an allocation of Slurm: each once, in the order typed, and nothing that a
 * command would take for an option.
 */

#include "ctl/ask/fleet/hosts.h"

#include "ctl/app/settings.h"
#include "ctl/app/verbs.h"
#include "ctl/base/exit.h"
#include "directory.h"
#include "pair.h"

/* Finds the hosts of @typed, which @source names. Returns as hosts_find() does, and what it said in @said. */
static int find(const char *source, const char *typed, Hosts *hosts, char said[static 4096]) {
        const Settings settings = { .verb = verb_find("run"), .host = typed, .host_source = source };
        _cleanup_(fd_closep) int file = -1;
        const int saved = dup(STDERR_FILENO);
        size_t n;
        int r;

        fflush(stderr);
        assert_int_equal(fd_memfd_new("said", &file), 0);
        dup2(file, STDERR_FILENO);
        r = hosts_find(&settings, hosts);
        fflush(stderr);
        dup2(saved, STDERR_FILENO);
        close(saved);
        assert_int_equal(fd_read_start(file, said, 4095, &n), 0);
        said[n] = '\0';
        return r;
}

/* @joined: the names with a blank behind each. */
static void expect_hosts(const char *typed, bool several, Transport transport, const char *joined) {
        _cleanup_(hosts_clear) Hosts hosts = {};
        char text[1024] = "", said[4096];

        assert_int_equal(find("--host", typed, &hosts, said), 0);
        assert_string_equal(said, "");
        for (size_t i = 0; i < hosts.n; i++) {
                strcat(text, hosts.names[i]);
                strcat(text, " ");
        }
        assert_string_equal(text, joined);
        assert_int_equal(hosts_are_several(typed), several);
        assert_int_equal(hosts.transport, transport);
}

static void expect_refusal_of(const char *source, const char *typed, int exit, const char *words) {
        const size_t n_open = open_fds();
        char said[4096];
        Hosts hosts = {};

        if (find(source, typed, &hosts, said) != exit)
                fail_msg("'%s' is not refused with %d: %s", typed, exit, said);
        if (!strstr(said, words))
                fail_msg("'%s' does not mention '%s'", said, words);
        assert_null(hosts.names);
        assert_int_equal(open_fds(), n_open);
}

static void expect_refusal(const char *typed, int exit, const char *words) {
        expect_refusal_of("--host", typed, exit, words);
}

TEST(one_machine_or_a_list_stands_in_the_order_typed) {
        expect_hosts("bench1", false, TRANSPORT_SSH, "bench1 ");
        expect_hosts("user@bench1.example", false, TRANSPORT_SSH, "user@bench1.example ");
        expect_hosts("slurm1", false, TRANSPORT_SSH, "slurm1 ");
        expect_hosts("z,a,m@b", true, TRANSPORT_SSH, "z a m@b ");
        expect_hosts("fe80::1%eth0", false, TRANSPORT_SSH, "fe80::1%eth0 ");
}

TEST(a_name_that_is_none_is_refused) {
        char long_name[HOSTS_NAME_MAX + 2], said[4096];
        _cleanup_(hosts_clear) Hosts hosts = {};

        expect_refusal("", EXIT_USAGE, "--host: '' is not a machine name");
        expect_refusal("-oProxyCommand=x", EXIT_USAGE, "'-oProxyCommand=x' is not a machine name");
        expect_refusal("a,-b", EXIT_USAGE, "'-b' is not a machine name");
        expect_refusal("a,", EXIT_USAGE, "'' is not a machine name");
        expect_refusal(",a", EXIT_USAGE, "'' is not a machine name");
        expect_refusal("a,,b", EXIT_USAGE, "'' is not a machine name");
        expect_refusal("a b", EXIT_USAGE, "'a b' is not a machine name");
        expect_refusal("a\tb", EXIT_USAGE, "is not a machine name");
        expect_refusal("a\x1b[2J", EXIT_USAGE, "is not a machine name");
        expect_refusal("m\xc3\xbcller", EXIT_USAGE, "is not a machine name");
        expect_refusal("a,b,a", EXIT_USAGE, "--host: a is named twice");
        expect_refusal("a,@b", EXIT_USAGE, "@b names several machines itself, and stands alone: --host=@b");
        expect_refusal("slurm,a", EXIT_USAGE, "slurm names several machines itself");
        expect_refusal("a@b,@", EXIT_USAGE, "stands alone");
        memset(long_name, 'a', sizeof long_name - 1);
        long_name[sizeof long_name - 1] = '\0';
        expect_refusal(long_name, EXIT_USAGE, "at most 255");
        long_name[HOSTS_NAME_MAX] = '\0';
        assert_int_equal(find("--host", long_name, &hosts, said), 0);
        assert_string_equal(hosts.names[0], long_name);
}

TEST(more_machines_than_there_is_room_for_are_refused) {
        char text[8 * (HOSTS_MAX + 1)], *end = text, said[4096];
        _cleanup_(hosts_clear) Hosts hosts = {};

        for (unsigned i = 0; i <= HOSTS_MAX; i++)
                end += sprintf(end, "%sh%u", i ? "," : "", i);
        expect_refusal(text, EXIT_USAGE, "more than 1024 machines");
        *strrchr(text, ',') = '\0';
        assert_int_equal(find("--host", text, &hosts, said), 0);
        assert_int_equal(hosts.n, HOSTS_MAX);
}

/* ---- files */

static char directory[] = "hosts-XXXXXX";

static int make_directory(void **state) {
        directory_make(directory);
        return 0;
}

static int remove_directory(void **state) {
        return directory_remove(directory);
}

/* Writes a file of the directory. Returns its path behind "@". */
static const char *put(const char *name, const char *text) {
        static char path[256];
        FILE *file;

        snprintf(path, sizeof path, "@%s/%s", directory, name);
        file = fopen(path + 1, "we");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
        return path;
}

TEST(a_file_has_a_machine_a_line_and_comments) {
        char none[256];

        expect_hosts(put("f", "b\na\n"), true, TRANSPORT_SSH, "b a ");
        expect_hosts(put("f", "only"), true, TRANSPORT_SSH, "only ");
        expect_hosts(put("f", "# all of them\n\n  x@b # the old one\r\n\t\n#c\n a\t \r\n"), true, TRANSPORT_SSH,
                        "x@b a ");
        expect_refusal(put("f", ""), EXIT_USAGE, "/f' names no machines");
        expect_refusal(put("f", "# a\n\n"), EXIT_USAGE, "/f' names no machines");
        expect_refusal(put("f", "a\nb c\n"), EXIT_USAGE, "/f, line 2: 'b c' is not a machine name");
        expect_refusal(put("f", "a,b\n"), EXIT_USAGE, "'a,b' is not a machine name");
        expect_refusal(put("f", "#\na\x1b[2J\n"), EXIT_USAGE, "line 2: 'a?[2J' is not a machine name");
        expect_refusal(put("f", "a\n@b\n"), EXIT_USAGE, "'@b' is not a machine name");
        expect_refusal(put("f", "a\n-b\n"), EXIT_USAGE, "'-b' is not a machine name");
        expect_refusal(put("f", "a\nb\na\n"), EXIT_USAGE, "/f, line 3: a is named twice");
        snprintf(none, sizeof none, "@%s/none", directory);
        expect_refusal(none, EXIT_USAGE, "/none': No such file");
        snprintf(none, sizeof none, "@%s", directory);
        expect_refusal(none, EXIT_USAGE, "Is a directory");
        expect_refusal("@", EXIT_USAGE, "--host=@ needs a file: --host=@FILE");
        expect_refusal_of("BENCHCTL_HOST", "@", EXIT_USAGE, "BENCHCTL_HOST=@ needs a file: BENCHCTL_HOST=@FILE");
}

/* ---- Slurm */

/* Has the script @text be the only scontrol. */
static void put_scontrol(const char *text) {
        const char *path = put("scontrol", text) + 1;

        assert_int_equal(chmod(path, 0755), 0);
        setenv("PATH", directory, 1);
}

TEST(the_nodes_of_an_allocation_are_those_that_scontrol_names) {
        const size_t n_open = open_fds();

        setenv("SLURM_JOB_NODELIST", "node[1-3]", 1);
        put_scontrol("#!/bin/sh\n[ \"$*\" = 'show hostnames node[1-3]' ] && printf 'node1\\nnode2\\nnode3\\n'\n");
        expect_hosts("slurm", true, TRANSPORT_SRUN, "node1 node2 node3 ");
        assert_int_equal(open_fds(), n_open);

        put_scontrol("#!/bin/sh\nexit 3\n");
        expect_refusal("slurm", EXIT_DAEMON, "node[1-3]: scontrol failed");
        put_scontrol("#!/bin/sh\nkill -9 $$\n");
        expect_refusal("slurm", EXIT_DAEMON, "scontrol failed");
        put_scontrol("#!/bin/sh\ntrue\n");
        expect_refusal("slurm", EXIT_DAEMON, "scontrol named no node");
        put_scontrol("#!/nonexistent/interpreter\n");
        expect_refusal("slurm", EXIT_DAEMON, "scontrol cannot be executed");
}

TEST(without_an_allocation_slurm_is_refused) {
        unsetenv("SLURM_JOB_NODELIST");
        expect_refusal("slurm", EXIT_USAGE, "salloc -K -N3 --exclusive --no-kill benchctl run --host=slurm");
        setenv("SLURM_JOB_NODELIST", "", 1);
        expect_refusal("slurm", EXIT_USAGE, "SLURM_JOB_NODELIST is not set");
}

TEST_FILE(make_directory, remove_directory)
