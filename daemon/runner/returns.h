/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The processor's stack of return addresses, by which it predicts where a return goes. The runner makes system calls between batches, which a
 * program in its loop does not, and some of them leave that stack unlike one that user code has filled: on Zen 5 a loop of short calls
 * then took up to 6 cycles a call more for milliseconds, unless calls went deep once.
 */

/* Calls deeper than the stack of any processor, and returns. Takes about 0.1 µs, and 1 KiB of the caller's stack. */
void returns_fill(void);
