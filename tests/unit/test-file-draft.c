/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A file is written whole or stays as it was, whatever stands in its place: a link of a stranger's leads nowhere, a pipe and an open
 * descriptor are written to, and no draft is left.
 */

#include "util/file-draft.h"

#include <sys/resource.h>

#include "directory.h"
#include "pair.h"

#define STRANGER 4322

static char directory[] = "file-draft-XXXXXX";
static char back[4096];
static size_t n_fds;

static int set_up(void **state) {
        directory_make(directory);
        assert_non_null(getcwd(back, sizeof back));
        assert_int_equal(chdir(directory), 0);
        umask(022);
        n_fds = open_fds();
        return 0;
}

static int tear_down(void **state) {
        assert_int_equal(open_fds(), n_fds);
        assert_int_equal(chdir(back), 0);
        return directory_remove(directory);
}

TEST_EACH(set_up, tear_down)

static void make_file(const char *path, const char *text, mode_t mode) {
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        assert_int_equal(fchmod(fd, mode), 0);
        close(fd);
}

static void assert_text(const char *path, const char *expected) {
        char text[64] = "";
        const int fd = open(path, O_RDONLY | O_CLOEXEC);

        assert_true(fd >= 0);
        assert_true(read(fd, text, sizeof text - 1) >= 0);
        close(fd);
        assert_string_equal(text, expected);
}

/* The entries of the test's directory, "." and ".." aside. */
static size_t count_files(void) {
        DIR *opened = opendir(".");
        size_t n = 0;

        assert_non_null(opened);
        while (readdir(opened))
                n++;
        closedir(opened);
        return n - 2;
}

static int write_file(const char *path, const char *text) {
        FileDraft draft = FILE_DRAFT_NONE;
        int r;

        r = file_draft_open(path, &draft);
        if (r == 0)
                r = file_draft_write(&draft, text, strlen(text));
        file_draft_clear(&draft);
        return r;
}

static mode_t mode_of(const char *path) {
        struct stat status;

        assert_int_equal(lstat(path, &status), 0);
        return status.st_mode & 07777;
}

TEST(a_new_file_has_the_mode_of_the_umask) {
        umask(027);
        assert_int_equal(write_file("new", "text"), 0);
        assert_text("new", "text");
        assert_int_equal(mode_of("new"), 0640);
        assert_int_equal(count_files(), 1);
}

TEST(a_file_is_replaced_with_its_mode) {
        make_file("old", "much longer than what follows", 0604);
        assert_int_equal(link("old", "other"), 0);
        assert_int_equal(write_file("old", "text"), 0);
        assert_text("old", "text");
        assert_text("other", "much longer than what follows");
        assert_int_equal(mode_of("old"), 0604);
        assert_int_equal(count_files(), 2);
}

TEST(nothing_is_there_before_it_is_begun_and_the_old_until_it_is_committed) {
        FileDraft draft;

        make_file("old", "old", 0644);
        assert_int_equal(file_draft_open("old", &draft), 0);
        assert_int_equal(count_files(), 1);
        assert_int_equal(file_draft_begin(&draft), 0);
        assert_int_equal(write(draft.fd, "new", 3), 3);
        assert_int_equal(count_files(), 2);
        assert_text("old", "old");
        file_draft_clear(&draft);
        assert_int_equal(count_files(), 1);
        assert_text("old", "old");
}

TEST(a_write_that_fails_leaves_the_old_file_and_no_draft) {
        struct rlimit limit;
        static char much[1 << 16];

        make_file("old", "old", 0644);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1000, limit.rlim_max }), 0);
        memset(much, 'x', sizeof much - 1);
        assert_int_equal(write_file("old", much), -EFBIG);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_text("old", "old");
        assert_int_equal(count_files(), 1);
}

TEST(a_process_that_quits_leaves_no_draft) {
        const pid_t pid = fork();
        int status;

        if (pid == 0) {
                FileDraft one, other;

                if (file_draft_open("one", &one) || file_draft_open("other", &other) || file_draft_begin(&one) ||
                                file_draft_begin(&other) || count_files() != 2)
                        _exit(1);
                file_drafts_leave();
                _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        assert_int_equal(count_files(), 0);
}

TEST(the_users_own_link_is_followed_and_stays) {
        assert_int_equal(mkdir("there", 0755), 0);
        make_file("there/file", "old", 0600);
        assert_int_equal(symlink("there/file", "link"), 0);
        assert_int_equal(symlink("link", "second"), 0);
        assert_int_equal(symlink("there", "way"), 0);
        assert_int_equal(symlink("there/absent", "dangling"), 0);
        assert_int_equal(write_file("second", "one"), 0);
        assert_text("there/file", "one");
        assert_int_equal(write_file("way/../way/./file", "two"), 0);
        assert_text("there/file", "two");
        assert_int_equal(write_file("dangling", "three"), 0);
        assert_text("there/absent", "three");
        assert_int_equal(readlink("link", (char[64]){ 0 }, 64), strlen("there/file"));
        unlink("there/file");
        unlink("there/absent");
        rmdir("there");
}

TEST(a_link_that_leads_to_itself_is_an_error) {
        assert_int_equal(symlink("loop", "loop"), 0);
        assert_int_equal(write_file("loop", "text"), -ELOOP);
}

TEST(a_strangers_link_is_refused_at_each_place_of_the_way) {
        static const char *const paths[] = { "link", "to/file", "own", "absent" };

        if (geteuid() != 0)
                skip();
        assert_int_equal(mkdir("there", 0755), 0);
        make_file("there/file", "kept", 0600);
        assert_int_equal(symlink("there/file", "link"), 0);
        assert_int_equal(symlink("there", "to"), 0);
        assert_int_equal(symlink("link", "own"), 0);
        assert_int_equal(symlink("there/none", "absent"), 0);
        assert_int_equal(lchown("link", STRANGER, STRANGER), 0);
        assert_int_equal(lchown("to", STRANGER, STRANGER), 0);
        assert_int_equal(lchown("absent", STRANGER, STRANGER), 0);
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
                assert_int_equal(write_file(paths[i], "lost"), FILE_DRAFT_E_FOREIGN);
        assert_text("there/file", "kept");
        assert_int_equal(access("there/none", F_OK), -1);
        unlink("there/file");
        rmdir("there");
}

/* Whoever may write to the directory can put a file there before. */
TEST(what_a_stranger_put_where_all_may_write_is_replaced_as_ones_own_or_refused) {
        struct stat status;

        if (geteuid() != 0)
                skip();
        make_file("file", "old", 0666);
        assert_int_equal(chown("file", STRANGER, STRANGER), 0);
        assert_int_equal(mkfifo("pipe", 0666), 0);
        assert_int_equal(chown("pipe", STRANGER, STRANGER), 0);
        assert_int_equal(chmod(".", 0777), 0);
        assert_int_equal(write_file("pipe", "text"), FILE_DRAFT_E_FOREIGN);
        assert_int_equal(write_file("file", "text"), 0);
        assert_int_equal(stat("file", &status), 0);
        assert_int_equal(status.st_uid, 0);
        assert_int_equal(status.st_mode & 07777, 0644);
        assert_int_equal(chown("file", STRANGER, STRANGER), 0);
        assert_int_equal(chmod(".", 01777), 0);
        assert_int_equal(write_file("file", "other"), FILE_DRAFT_E_FOREIGN);
        assert_text("file", "text");
}

TEST(root_leaves_a_users_file_to_the_user) {
        struct stat status;

        if (geteuid() != 0)
                skip();
        make_file("file", "old", 0640);
        assert_int_equal(chown("file", STRANGER, STRANGER), 0);
        assert_int_equal(write_file("file", "new"), 0);
        assert_int_equal(stat("file", &status), 0);
        assert_int_equal(status.st_uid, STRANGER);
        assert_int_equal(status.st_gid, STRANGER);
        assert_int_equal(status.st_mode & 07777, 0640);
}

/* Runs @body as a stranger, if this process may become one. */
static void as_stranger(void (*body)(void)) {
        pid_t pid;
        int status;

        if (geteuid() != 0)
                skip();
        pid = fork();
        if (pid == 0) {
                if (setgid(STRANGER) < 0 || setuid(STRANGER) < 0)
                        _exit(2);
                body();
                _exit(0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
}

static void write_in_place(void) {
        if (write_file("file", "new") != 0 || write_file("none", "new") != -EACCES ||
                        write_file("closed", "new") != -EACCES)
                _exit(1);
}

TEST(a_file_in_a_closed_directory_is_written_in_place) {
        struct stat before, after;

        make_file("file", "much longer than what follows", 0666);
        make_file("closed", "kept", 0644);
        assert_int_equal(chmod(".", 0755), 0);
        assert_int_equal(stat("file", &before), 0);
        as_stranger(write_in_place);
        assert_int_equal(stat("file", &after), 0);
        assert_int_equal(before.st_ino, after.st_ino);
        assert_text("file", "new");
        assert_text("closed", "kept");
        assert_int_equal(count_files(), 2);
}

static void write_read_only(void) {
        if (write_file("closed", "new") != -EACCES)
                _exit(1);
}

TEST(write_permission_is_that_of_the_file) {
        make_file("closed", "kept", 0444);
        assert_int_equal(chmod(".", 0777), 0);
        as_stranger(write_read_only);
        assert_text("closed", "kept");
}

TEST(an_open_descriptor_goes_on_where_it_stands) {
        char path[32];
        int fd;

        make_file("file", "before ", 0600);
        fd = open("file", O_WRONLY | O_APPEND | O_CLOEXEC);
        snprintf(path, sizeof path, "/dev/fd/%d", fd);
        assert_int_equal(write_file(path, "text "), 0);
        assert_int_equal(write(fd, "behind", 6), 6);
        close(fd);
        assert_text("file", "before text behind");
        assert_int_equal(count_files(), 1);
}

TEST(a_pipe_and_a_device_are_written_to) {
        char text[8] = "";
        struct stat status;
        int fd;

        assert_int_equal(mkfifo("pipe", 0600), 0);
        fd = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        assert_int_equal(write_file("pipe", "text"), 0);
        assert_int_equal(read(fd, text, sizeof text), 4);
        assert_string_equal(text, "text");
        close(fd);
        assert_int_equal(write_file("/dev/null", "text"), 0);
        assert_int_equal(lstat("pipe", &status), 0);
        assert_true(S_ISFIFO(status.st_mode));
        assert_int_equal(count_files(), 1);
}

TEST(what_is_no_file_is_an_error) {
        assert_int_equal(mkdir("there", 0755), 0);
        assert_int_equal(write_file("there", "text"), -EISDIR);
        assert_int_equal(write_file("there/", "text"), -EISDIR);
        assert_int_equal(write_file(".", "text"), -EISDIR);
        assert_int_equal(write_file("/", "text"), -EISDIR);
        assert_int_equal(write_file("", "text"), -ENOENT);
        assert_int_equal(write_file("none/file", "text"), -ENOENT);
        assert_int_equal(write_file("new/", "text"), -ENOENT);
        rmdir("there");
}

TEST(a_new_file_takes_no_others_place) {
        FileDraft draft = FILE_DRAFT_NONE;

        make_file("file", "kept", 0644);
        assert_int_equal(symlink("none", "link"), 0);
        assert_int_equal(file_draft_open_new("file", &draft), FILE_DRAFT_E_EXISTS);
        assert_int_equal(file_draft_open_new("link", &draft), FILE_DRAFT_E_EXISTS);
        assert_int_equal(file_draft_open_new("new", &draft), 0);
        make_file("new", "earlier", 0644);
        assert_int_equal(file_draft_write(&draft, "text", 4), FILE_DRAFT_E_EXISTS);
        file_draft_clear(&draft);
        assert_text("new", "earlier");
        assert_int_equal(count_files(), 3);
        unlink("new");
        assert_int_equal(file_draft_open_new("new", &draft), 0);
        assert_int_equal(file_draft_write(&draft, "text", 4), 0);
        file_draft_clear(&draft);
        assert_text("new", "text");
        assert_int_equal(count_files(), 3);
}

/* A stranger who guesses when cannot guess the name. */
TEST(two_drafts_of_one_file_have_names_of_their_own) {
        FileDraft one, other;

        assert_int_equal(file_draft_open("file", &one), 0);
        assert_int_equal(file_draft_open("file", &other), 0);
        assert_int_equal(file_draft_begin(&one), 0);
        assert_int_equal(file_draft_begin(&other), 0);
        assert_string_not_equal(one.name, other.name);
        assert_int_equal(file_draft_commit(&one), 0);
        assert_int_equal(file_draft_commit(&other), 0);
        file_draft_clear(&one);
        file_draft_clear(&other);
        assert_int_equal(count_files(), 1);
}
