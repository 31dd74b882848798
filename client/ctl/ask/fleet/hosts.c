/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/fleet/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/printable.h"
#include "ctl/model/settings.h"
#include "ctl/model/verb.h"
#include "util/cleanup.h"
#include "util/fd.h"

#define SLURM     "slurm"
#define SHOWN_MAX (2 * HOSTS_NAME_MAX) /* bytes of a bad name that its message shows */

extern char **environ;

static void closep(FILE **file) {
        if (*file)
                fclose(*file);
}

void hosts_clear(Hosts *hosts) {
        for (size_t i = 0; i < hosts->n; i++)
                free(hosts->names[i]);
        free(hosts->names);
        *hosts = (Hosts){};
}

bool hosts_are_several(const char *typed) {
        return *typed == '@' || strchr(typed, ',') || strcmp(typed, SLURM) == 0;
}

/* ---- names */

/* A name becomes a word of a command, and must not look like an option. */
static bool is_name(const char *name, size_t n) {
        if (n == 0 || n > HOSTS_NAME_MAX || *name == '-' || *name == '@')
                return false;
        for (size_t i = 0; i < n; i++)
                if (!isgraph((unsigned char)name[i]) || name[i] == ',')
                        return false;
        return true;
}

static int refuse_name(const char *where, const char *name, size_t n) {
        char text[SHOWN_MAX + 1];

        snprintf(text, sizeof text, "%.*s", (int)(n > SHOWN_MAX ? SHOWN_MAX : n), name);
        printable_text(text);
        complain("%s'%s' is not a machine name ([USER@]HOST, no blanks, at most %u characters).", where, text,
                        HOSTS_NAME_MAX);
        return EXIT_USAGE;
}

/* @where begins a sentence on the name: "FILE, line 3: ", or "--host: ". */
static int hosts_add(Hosts *hosts, const char *where, const char *name, size_t n) {
        char **names;

        if (!is_name(name, n))
                return refuse_name(where, name, n);
        for (size_t i = 0; i < hosts->n; i++)
                if (strlen(hosts->names[i]) == n && memcmp(hosts->names[i], name, n) == 0) {
                        complain("%s%s is named twice; name each machine once.", where, hosts->names[i]);
                        return EXIT_USAGE;
                }
        if (hosts->n == HOSTS_MAX) {
                complain("%smore than %u machines are named.", where, HOSTS_MAX);
                return EXIT_USAGE;
        }
        names = reallocarray(hosts->names, hosts->n + 1, sizeof *names);
        if (names)
                hosts->names = names;
        if (!names || !(names[hosts->n] = strndup(name, n))) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        hosts->n++;
        return 0;
}

/* A word that means several machines: "@FILE", "slurm". */
static bool stands_alone(const char *word, size_t n) {
        return *word == '@' || (n == strlen(SLURM) && strncmp(word, SLURM, n) == 0);
}

static int hosts_add_list(const Settings *settings, Hosts *hosts) {
        char where[32];
        int r = 0;

        snprintf(where, sizeof where, "%s: ", settings->host_source);
        for (const char *name = settings->host; r == 0; name += strcspn(name, ",") + 1) {
                const size_t n = strcspn(name, ",");

                if (stands_alone(name, n)) {
                        complain("%s%.*s names several machines itself, and stands alone: %s=%.*s.", where, (int)n,
                                        name, settings->host_source, (int)n, name);
                        return EXIT_USAGE;
                }
                r = hosts_add(hosts, where, name, n);
                if (!strchr(name, ','))
                        break;
        }
        return r;
}

/* A name a line, blanks around it; "#" begins a comment. */
static int hosts_add_lines(Hosts *hosts, const char *path, FILE *file) {
        _cleanup_(freep) char *line = NULL;
        char where[PATH_MAX + 32];
        size_t n_line = 0;
        int r = 0;

        for (unsigned number = 1; r == 0 && getline(&line, &n_line, file) >= 0; number++) {
                const char *name = line + strspn(line, " \t\r\n");
                size_t n = strcspn(name, "#\r\n");

                while (n > 0 && isblank((unsigned char)name[n - 1]))
                        n--;
                snprintf(where, sizeof where, "%s, line %u: ", path, number);
                r = n > 0 ? hosts_add(hosts, where, name, n) : 0;
        }
        return r;
}

static int hosts_add_file(const Settings *settings, Hosts *hosts, const char *path) {
        _cleanup_(closep) FILE *file = fopen(path, "re");
        struct stat status;
        int r;

        if (!*path) {
                complain("%s=@ needs a file: %s=@FILE, one [USER@]HOST a line.", settings->host_source,
                                settings->host_source);
                return EXIT_USAGE;
        }
        if (!file || fstat(fileno(file), &status) < 0 || S_ISDIR(status.st_mode)) {
                complain("Cannot read '%s': %s.", path, benchd_error_string(file ? -EISDIR : -errno));
                return EXIT_USAGE;
        }
        r = hosts_add_lines(hosts, path, file);
        if (r == 0 && ferror(file)) {
                complain("Cannot read '%s': %s.", path, benchd_error_string(-EIO));
                return EXIT_USAGE;
        }
        if (r == 0 && hosts->n == 0) {
                complain("'%s' names no machines (one [USER@]HOST per line).", path);
                return EXIT_USAGE;
        }
        return r;
}

/* ---- Slurm */

/* Runs scontrol to expand @list, "node[1-3]", to names in @fd. Returns 0, a negative errno, or its exit status. */
static int run_scontrol(const char *list, int fd) {
        const char *const words[] = { "scontrol", "show", "hostnames", list, NULL };
        posix_spawn_file_actions_t actions;
        int status, r;
        pid_t pid;

        posix_spawn_file_actions_init(&actions);
        r = posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
        if (r == 0)
                r = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
        posix_spawn_file_actions_destroy(&actions);
        if (r)
                return -r;
        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        return -errno;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int hosts_add_nodes(const Settings *settings, Hosts *hosts) {
        const char *list = getenv("SLURM_JOB_NODELIST");
        _cleanup_(closep) FILE *names = NULL;
        int fd, r;

        if (!list || !*list) {
                complain("--host=slurm works only within a Slurm allocation (SLURM_JOB_NODELIST is not set).");
                complain_hint("salloc -K -N3 --exclusive --no-kill benchctl %s --host=slurm ...", settings->verb->name);
                return EXIT_USAGE;
        }
        fd = memfd_create("benchd-nodes", MFD_CLOEXEC);
        names = fd < 0 ? NULL : fdopen(fd, "r");
        if (!names) {
                fd_close(fd);
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        r = run_scontrol(list, fd);
        if (r) {
                complain("Cannot list the nodes %s: scontrol %s.", list, r < 0 ? "cannot be executed" : "failed");
                return EXIT_DAEMON;
        }
        rewind(names);
        r = hosts_add_lines(hosts, "scontrol show hostnames", names);
        if (r == 0 && hosts->n == 0) {
                complain("Cannot list the nodes %s: scontrol named no node.", list);
                return EXIT_DAEMON;
        }
        return r;
}

int hosts_find(const Settings *settings, Hosts *ret_hosts) {
        _cleanup_(hosts_clear) Hosts hosts = {};
        int r;

        if (strcmp(settings->host, SLURM) == 0) {
                hosts.transport = TRANSPORT_SRUN;
                r = hosts_add_nodes(settings, &hosts);
        } else
                r = *settings->host == '@' ? hosts_add_file(settings, &hosts, settings->host + 1)
                                           : hosts_add_list(settings, &hosts);
        if (r)
                return r;
        *ret_hosts = hosts;
        hosts = (Hosts){};
        return 0;
}
