/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/load/elf-image.h"
#include "runner/watch/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/file-name.h"

#define START_FILL_BYTES 4096u
#define START_VARIABLES                                                                                                \
 3u /* of the loader: the last ones of the environment, so that they override others of the same name */

/* Runtimes that must be loaded first and refuse to run otherwise. */
static const char *const start_first[] = { "libasan.so", "libtsan.so", "libhwasan.so", "liblsan.so", "libmsan.so" };

bool start_can_list(const char *name) {
        return *name && !strpbrk(name, ": $;");
}

int start_link(const char *name, int fd) {
        char target[32];

        snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
        return symlink(target, name) < 0 ? error_origin(-errno) : 0;
}

/* ---- lists */

static bool is_first(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(start_first); i++)
                if (strncmp(name, start_first[i], strlen(start_first[i])) == 0)
                        return true;
        return false;
}

static void list_add(FILE *list, const char *name) {
        if (name && *name)
                fprintf(list, ftell(list) > 0 ? ":%s" : "%s", name);
}

/* The path of the library that is needed as @name; the name itself if none was sent along, for the loader to find. */
static const char *need_path(const Start *start, const char *name) {
        for (size_t i = 0; i < start->n_libraries; i++)
                if (strcmp(start->libraries[i].needed, name) == 0)
                        return start->libraries[i].path;
        return start_can_list(name) ? name : NULL;
}

/* Adds the libraries that the module needs, in their order. */
static void list_add_needs(FILE *list, const Start *start, const ElfImage *module, bool first) {
        const Elf64_Dyn *entries;
        size_t n = 0;

        entries = elf_image_dynamic(module, &n);
        for (size_t i = 0; entries && i < n; i++) {
                const char *name =
                                entries[i].d_tag == DT_NEEDED ? elf_image_string(module, entries[i].d_un.d_val) : NULL;

                if (name && is_first(name) == first)
                        list_add(list, need_path(start, name));
        }
}

/* Adds the preloaded libraries that are @first, or the others. */
static void list_add_preloads(FILE *list, const Start *start, bool first) {
        for (size_t i = 0; i < start->n_libraries; i++)
                if (start->libraries[i].preload && is_first(start->libraries[i].needed) == first)
                        list_add(list, start->libraries[i].path);
}

/* Adds the entries of the user's own list that are @first, or the others. */
static void list_add_own(FILE *list, const char *own, bool first) {
        for (const char *at = own ? own : ""; *at; at += strcspn(at, " :") + (at[strcspn(at, " :")] != '\0')) {
                _cleanup_(freep) char *name = strndup(at, strcspn(at, " :"));

                if (name && is_first(file_name_of(name)) == first)
                        list_add(list, name);
        }
}

/*
 * The order of a program that is linked with the module's libraries. libc is in the list too: otherwise libraries that the module needs
 * would come after the runner's libc, and preloaded ones before it.
 */
static void list_print(FILE *list, const Start *start, const char *own) {
        ElfImage file = {}, module = {};
        const bool mapped = elf_sections_map(start->module_fd, &file);
        const bool read = mapped && elf_image_read(file.bytes, file.n, &module);

        list_add(list, start->counting);
        if (read)
                list_add_needs(list, start, &module, true);
        list_add_preloads(list, start, true);
        list_add_own(list, own, true);
        list_add(list, start->module);
        list_add_preloads(list, start, false);
        list_add_own(list, own, false);
        if (read)
                list_add_needs(list, start, &module, false);
        if (mapped)
                elf_sections_unmap(&file);
}

/* ---- the environment */

/* Sets @assignment among the @n variables at @variables, which have room for it; returns their new number. */
static size_t variables_set(char **variables, size_t n, const char *assignment) {
        const size_t length = strcspn(assignment, "=") + 1;

        for (size_t i = 0; i < n; i++)
                if (strncmp(variables[i], assignment, length) == 0) {
                        variables[i] = (char *)assignment;
                        return n;
                }
        variables[n] = (char *)assignment;
        return n + 1;
}

static const char *variables_get(char *const *variables, size_t n, const char *name) {
        const size_t length = strlen(name);

        for (size_t i = 0; i < n; i++)
                if (strncmp(variables[i], name, length) == 0 && variables[i][length] == '=')
                        return variables[i] + length + 1;
        return NULL;
}

static char *preload_assignment(const Start *start, const char *own) {
        _cleanup_(freep) char *text = NULL;
        char *assignment;
        size_t n_text;
        FILE *list = open_memstream(&text, &n_text);

        if (!list)
                return NULL;
        list_print(list, start, own);
        if (fclose(list) || asprintf(&assignment, "LD_PRELOAD=%s", text) < 0)
                return NULL;
        return assignment;
}

static char *path_assignment(const Start *start, const char *own) {
        const char *directory = start->directory ? start->directory : "";
        char *assignment;

        own = own ? own : "";
        if (asprintf(&assignment, "LD_LIBRARY_PATH=%s%s%s", directory, *directory && *own ? ":" : "", own) < 0)
                return NULL;
        return assignment;
}

/*
 * Any value of the variable works: its length rounds the space that file names take on the first stack, @n_bytes, up to whole pages, so
 * that they do not decide where the stack begins.
 */
static char *bind_assignment(size_t n_bytes) {
        static const char name[] = "LD_BIND_NOW=1";
        const size_t n_fill = START_FILL_BYTES - (n_bytes + strlen(name)) % START_FILL_BYTES;
        char *assignment = malloc(strlen(name) + n_fill + 1);

        if (!assignment)
                return NULL;
        strcpy(assignment, name);
        memset(assignment + strlen(name), '.', n_fill);
        assignment[strlen(name) + n_fill] = '\0';
        return assignment;
}

char **start_environment(const Start *start, char *const *environment) {
        size_t n_own = 0, n;
        char **variables;

        while (environment[n_own])
                n_own++;
        variables = calloc(n_own + start->n_assignments + START_VARIABLES + 1, sizeof *variables);
        if (!variables)
                return NULL;
        memcpy(variables, environment, n_own * sizeof *variables);
        n = n_own;
        for (size_t i = 0; i < start->n_assignments; i++)
                n = variables_set(variables, n, start->assignments[i]);
        variables[n] = preload_assignment(start, variables_get(variables, n, "LD_PRELOAD"));
        variables[n + 1] = path_assignment(start, variables_get(variables, n, "LD_LIBRARY_PATH"));
        if (!variables[n] || !variables[n + 1])
                return NULL;
        variables[n + 2] = bind_assignment(
                        strlen(variables[n]) + strlen(variables[n + 1]) + (start->module ? strlen(start->module) : 0));
        return variables[n + 2] ? variables : NULL;
}

void start_cut_environment(char **environment) {
        size_t n = 0;

        while (environment[n])
                n++;
        if (n >= START_VARIABLES)
                environment[n - START_VARIABLES] = NULL;
}

/* ---- what is preloaded */

const char *start_loader_words(const char *path) {
        const char *words = dlerror();

        if (!words)
                return "";
        if (strncmp(words, path, strlen(path)) == 0 && strncmp(words + strlen(path), ": ", 2) == 0)
                return words + strlen(path) + 2;
        return words;
}

/* A file that the loader would not preload is not there yet: it says why when it is asked to load it now. */
bool start_check_library(const char *path, const char *name, BlockHead *head) {
        if (dlopen(path, RTLD_LAZY | RTLD_NOLOAD))
                return true;
        report_end(head, RUNNER_END_LIBRARY, "%.200s: %s", name,
                        dlopen(path, RTLD_NOW) ? "the loader went on without it" : start_loader_words(path));
        return false;
}

bool start_check_preloaded(BlockHead *head) {
        const char *list = getenv("LD_PRELOAD");

        for (const char *at = list; at && *at;) {
                const size_t n = strcspn(at, ": ");
                _cleanup_(freep) char *name = strndup(at, n);

                if (name && *name && !dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {
                        report_end(head, RUNNER_END_LIBRARY,
                                        "LD_PRELOAD names %.300s, which is not in the run's view: --preload=FILE sends a library along",
                                        name);
                        return false;
                }
                at += n + (at[n] != '\0');
        }
        return true;
}

/* ---- again */

static char **start_arguments(const Start *start) {
        char **arguments;
        size_t n = 0;

        while (start->arguments[n])
                n++;
        arguments = calloc(n + 3, sizeof *arguments);
        if (!arguments)
                return NULL;
        arguments[0] = (char *)"benchd-runner";
        arguments[1] = (char *)START_WORD;
        memcpy(arguments + 2, start->arguments, n * sizeof *arguments);
        return arguments;
}

int start_again(const Start *start) {
        char **variables = start_environment(start, environ), **arguments = start_arguments(start);
        int fd;

        if (!variables || !arguments)
                return error_origin(-ENOMEM);
        if (start->program) {
                execve(start->program, arguments, variables);
                return error_origin(-errno);
        }
        fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return error_origin(-errno);
        syscall(SYS_execveat, fd, "", arguments, variables, AT_EMPTY_PATH);
        return error_origin(-errno);
}

#define LAYOUT_PAGE_BYTES 4096u
#define LAYOUT_ROOM_BYTES (UINT64_C(128) << 20) /* the least that the kernel leaves for a stack */

void start_layout_shift_mappings(uint32_t pages, char ret_limit[static START_LAYOUT_NUMBER_MAX]) {
        struct rlimit limit;
        rlim_t room;

        ret_limit[0] = '\0';
        if (pages == 0 || getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
                return;
        snprintf(ret_limit, START_LAYOUT_NUMBER_MAX, "%" PRIu64, (uint64_t)limit.rlim_cur);
        room = limit.rlim_cur > LAYOUT_ROOM_BYTES ? limit.rlim_cur : LAYOUT_ROOM_BYTES;
        limit.rlim_cur = room + (rlim_t)pages * LAYOUT_PAGE_BYTES;
        if (limit.rlim_cur > limit.rlim_max || setrlimit(RLIMIT_STACK, &limit) < 0)
                ret_limit[0] = '\0';
}

void start_layout_restore(const char *text) {
        pthread_attr_t attributes;
        struct rlimit limit;

        if (!*text || getrlimit(RLIMIT_STACK, &limit) < 0)
                return;
        limit.rlim_cur = strtoull(text, NULL, 10);
        (void)setrlimit(RLIMIT_STACK, &limit);
        if (pthread_attr_init(&attributes) != 0)
                return;
        if (pthread_attr_setstacksize(&attributes, limit.rlim_cur / LAYOUT_PAGE_BYTES * LAYOUT_PAGE_BYTES) == 0)
                (void)pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
}

void start_layout_shift_heap(uint32_t pages) {
        if (pages > 0)
                (void)sbrk((intptr_t)pages * LAYOUT_PAGE_BYTES);
}
