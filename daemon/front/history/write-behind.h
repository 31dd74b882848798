/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Writes behind: SQLite's access to its files, with all that is written, cut and synced done in order by a thread of its own. So a disk that takes
 * half a second to sync holds up nobody's loop; and since the order stays SQLite's, a power cut leaves what it would leave of SQLite alone.
 * What is read is the file with all that waits to be written.
 *
 * Each change has a ticket, a number that grows. It is on stable storage once write_behind_synced() has reached its ticket: the log is synced
 * after each row of changes that was found waiting, however many commits are in it. A change that fails is the last: whatever waits behind it
 * is dropped, as it would make no sense without it, and the files have to be opened anew.
 *
 * All functions are called by one thread, the loop's. Files in memory and temporary ones do not come here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WriteBehind WriteBehind;

#define WRITE_BEHIND_BYTES_MAX (128u << 20) /* that wait: beyond it a write fails as on a disk that does not write */

/* Begins the thread, and registers with SQLite. Returns 0 or a negative errno. */
int write_behind_new(WriteBehind **ret_behind);

/* The files are closed before. Waits for the thread. */
WriteBehind *write_behind_free(WriteBehind *behind);

/* For sqlite3_open_v2(). */
const char *write_behind_vfs_name(const WriteBehind *behind);

/* The ticket of the last change. */
uint64_t write_behind_ticket(const WriteBehind *behind);

/* All changes up to this ticket are on stable storage. */
uint64_t write_behind_synced(const WriteBehind *behind);

/* SQLite's code of the change that failed; 0: none has. */
int write_behind_failure(const WriteBehind *behind);

/* The files are opened anew after a failure. */
void write_behind_forget_failure(WriteBehind *behind);

/* Readable when something was synced, or failed. */
int write_behind_event_fd(const WriteBehind *behind);

/* Waits until all changes are on stable storage, or one has failed. */
void write_behind_wait(WriteBehind *behind);

/* Has a file that is beside the database synced, in its turn; @fd stays the caller's. Returns 0 or a negative errno. */
int write_behind_sync(WriteBehind *behind, int fd);

/* Has @from renamed to @to in the directory @directory_fd, and that synced, in its turn. Returns 0 or a negative errno. */
int write_behind_rename(WriteBehind *behind, int directory_fd, const char *from, const char *to);
