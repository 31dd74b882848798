/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Cold runs: a traced command's files are those that it and its processes opened, its program and libraries too; dropping takes them out of
 * the page cache, but for those in use, and says how many.
 */

#include "ctl/ask/exec/exec-cold.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-trace.h"
#include "directory.h"

#define FILE_BYTES (1 << 20)

static char directory[] = "exec-cold-XXXXXX";
static char full[PATH_MAX];

static int set_up(void **state) {
        directory_make(directory);
        assert_non_null(realpath(directory, full));
        return 0;
}

static int tear_down(void **state) {
        return directory_remove(directory);
}

TEST_EACH(set_up, tear_down)

static const char *make_file(const char *name, size_t n) {
        static char path[2 * PATH_MAX];
        int fd;

        snprintf(path, sizeof path, "%s/%s", full, name);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(write(fd, "x", 1), 1);
        close(fd);
        return path;
}

static int trace_script(const char *text, ExecPaths *ret_paths) {
        const char *words[] = { "sh", "-c", text, NULL };
        const ExecCommand command = { .words = words, .program = "/bin/sh" };
        const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        const ExecFiles files = { .in = null, .out = null, .err = null };
        char *const environment[] = { (char *)"PATH=/usr/bin:/bin", NULL };
        int r;

        r = exec_trace(&command, &files, environment, ret_paths);
        close(null);
        return r;
}

static unsigned count(const ExecPaths *paths, const char *end) {
        unsigned n = 0;

        for (size_t i = 0; i < paths->n; i++) {
                const size_t n_path = strlen(paths->paths[i]), n_end = strlen(end);

                n += n_path >= n_end && strcmp(paths->paths[i] + n_path - n_end, end) == 0;
        }
        return n;
}

TEST(all_that_it_and_its_processes_open_is_found_once, NULL, NULL) {
        char script[3 * PATH_MAX];
        ExecPaths paths;

        make_file("first", 10);
        make_file("second", 10);
        make_file("empty", 0);
        make_file("untouched", 10);
        snprintf(script, sizeof script,
                        "cd %s; cat first empty first nonesuch < /proc/self/status; (cat < second & wait); echo > new",
                        full);
        assert_int_equal(trace_script(script, &paths), 0);
        assert_int_equal(count(&paths, "/first"), 1);
        assert_int_equal(count(&paths, "/second"), 1);
        assert_int_equal(count(&paths, "/new"), 1);
        assert_int_equal(count(&paths, "/untouched") + count(&paths, "/status"), 0);
        assert_int_equal(count(&paths, "/cat"), 1);
        assert_int_equal(count(&paths, "/dash") + count(&paths, "/bash"), 1);
        assert_int_equal(count(&paths, "/libc.so.6"), 1);
        exec_paths_clear(&paths);
}

TEST(one_that_stops_itself_leaves_processes_or_fails_ends, NULL, NULL) {
        ExecPaths paths;

        assert_int_equal(trace_script("kill -STOP $$", &paths), -ECANCELED);
        assert_int_equal(trace_script("sleep 1000 & setsid sleep 1000 & exit 3", &paths), 0);
        assert_int_equal(count(&paths, "/libc.so.6"), 1);
        exec_paths_clear(&paths);
        assert_int_equal(trace_script("kill -KILL $$", &paths), -ECANCELED);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Files of tmpfs are in the page cache only. */
static bool is_on_disk(void) {
        struct statfs status;

        assert_int_equal(statfs(full, &status), 0);
        return status.f_type != 0x01021994 && status.f_type != 0x858458f6;
}

TEST(dirty_pages_are_written_and_files_dropped_but_for_those_in_use, NULL, NULL) {
        const char *names[2];
        ExecPaths paths = { .paths = names, .n = 2 };
        char words[64], *map;
        ExecDropped dropped;
        int fd;

        if (!is_on_disk())
                skip();
        names[0] = strdup(make_file("dirty", FILE_BYTES));
        names[1] = strdup(make_file("used", FILE_BYTES));
        fd = open(names[1], O_RDONLY | O_CLOEXEC);
        map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
        assert_true(map != MAP_FAILED && map[0] == 'x');
        exec_cold_drop(&paths, &dropped);
        assert_true(dropped.n == 1 && dropped.n_kept == 1 && dropped.n_hidden == 0 && dropped.bytes >= FILE_BYTES);
        exec_cold_words(&dropped, words, sizeof words);
        assert_string_equal(words, "cold: 1 files dropped, 1 kept in use");
        munmap(map, FILE_BYTES);
        close(fd);

        exec_cold_drop(&paths, &dropped);
        assert_true(dropped.n == 2 && dropped.n_kept == 0 && dropped.bytes >= FILE_BYTES);
        exec_cold_drop(&paths, &dropped);
        assert_true(dropped.n == 2 && dropped.bytes == 0);
        free((char *)names[0]);
        free((char *)names[1]);
}

TEST(a_file_that_is_gone_is_passed_over, NULL, NULL) {
        const char *names[] = { "/nonesuch/file" };
        const ExecPaths paths = { .paths = names, .n = 1 };
        ExecDropped dropped;

        exec_cold_drop(&paths, &dropped);
        assert_true(dropped.n == 0 && dropped.n_kept == 0 && dropped.n_hidden == 0);
}
