/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Write-behind: a VFS of SQLite in which a separate thread does all writes, truncations and syncs, in order. So a disk that takes half a
 * second to sync does not block the loop; and since the order is SQLite's own, a power cut leaves the same state as with plain SQLite.
 * Reads see the file with all pending writes applied.
 *
 * Each change has a ticket, a growing number. It is on stable storage once write_behind_synced() has reached its ticket: the thread syncs
 * the log after each batch of pending changes, however many commits it holds. After a failed change, all later ones are dropped, since they
 * depend on it, and the files have to be reopened.
 *
 * All functions must be called by one thread, the loop's. In-memory and temporary files bypass this module.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WriteBehind WriteBehind;

#define WRITE_BEHIND_BYTES_MAX (128u << 20) /* pending; beyond it a write fails like a disk error */

/* Starts the thread and registers the VFS with SQLite. Returns 0 or a negative errno. */
int write_behind_new(WriteBehind **ret_behind);

/* Waits for the thread. The files must be closed before. */
WriteBehind *write_behind_free(WriteBehind *behind);

/* For sqlite3_open_v2(). */
const char *write_behind_vfs_name(const WriteBehind *behind);

/* The ticket of the last change. */
uint64_t write_behind_ticket(const WriteBehind *behind);

/* The ticket up to which all changes are on stable storage. */
uint64_t write_behind_synced(const WriteBehind *behind);

/* SQLite's error code of the failed change; 0: none failed. */
int write_behind_failure(const WriteBehind *behind);

/* Clears the failure: the files are reopened. */
void write_behind_forget_failure(WriteBehind *behind);

/* Readable when a change was synced or failed. */
int write_behind_event_fd(const WriteBehind *behind);

/* Waits until all changes are on stable storage, or one has failed. */
void write_behind_wait(WriteBehind *behind);

/*
 * Queues a sync of a file beside the database, in order with the other changes; @fd stays the caller's. Returns 0 or a
 * negative errno.
 */
int write_behind_sync(WriteBehind *behind, int fd);

/*
 * Queues a rename of @from to @to in @directory_fd and a sync of the directory, in order with the other changes. Returns 0 or a negative
 * errno.
 */
int write_behind_rename(WriteBehind *behind, int directory_fd, const char *from, const char *to);
