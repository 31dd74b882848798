/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Preloaded into a program, says in the file DESCRIPTORS_LEFT.PID what the program has open beyond its first three descriptors when
 * it returns from main, a line each.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((destructor)) static void tell(void) {
        const char *prefix = getenv("DESCRIPTORS_LEFT");
        char path[4096], target[4096];
        DIR *directory;
        FILE *file;

        if (!prefix || snprintf(path, sizeof path, "%s.%d", prefix, (int)getpid()) >= (int)sizeof path)
                return;
        directory = opendir("/proc/self/fd");
        file = fopen(path, "we");
        if (!directory || !file)
                abort();
        for (struct dirent *entry; (entry = readdir(directory));) {
                int fd = atoi(entry->d_name);
                ssize_t n = readlinkat(dirfd(directory), entry->d_name, target, sizeof target - 1);

                if (fd <= STDERR_FILENO || fd == dirfd(directory) || fd == fileno(file) || n < 0)
                        continue;
                target[n] = '\0';
                fprintf(file, "%d %s\n", fd, target);
        }
        fclose(file);
        closedir(directory);
}
