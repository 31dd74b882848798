/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The time-stamp counter's frequency from other sources, to check the calibration.
 *
 * None of them is the truth: they tell a calibration that went wrong from one that did not. Each row has a bound of its
 * own. Two crystals differ by some 100 ppm, a KVM host presents its own counter unscaled up to 250 ppm off what it
 * promised, and 500 ppm is where a clock discipline gives up on a clock (RFC 5905, 2^-11 s/s): further off than that, one
 * of the two is wrong. CPUID's base frequency is rounded to 1 MHz besides. The kernel's own factor comes from the very
 * counter that CLOCK_MONOTONIC_RAW is made of, so that 5 ppm, ten times its rounding to 1 kHz, is a fault of ours.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CrosscheckSource {
        CROSSCHECK_CPUID_CRYSTAL, /* leaf 0x15: the crystal and its ratio */
        CROSSCHECK_CPUID_BASE,    /* leaf 0x16, where 0x15 does not name the crystal */
        CROSSCHECK_HYPERVISOR,    /* leaf 0x40000010, of VMware's kind */
        CROSSCHECK_KERNEL,        /* how perf turns ticks into ns */
        CROSSCHECK_SYSFS,         /* tsc_freq_khz, of some kernels */
        CROSSCHECK_NTP,           /* CLOCK_MONOTONIC, while something keeps it right */
        _CROSSCHECK_N,
} CrosscheckSource;

typedef struct CrosscheckLeaf {
        uint32_t eax, ebx, ecx, edx;
} CrosscheckLeaf;

/* A name for people and programs ("cpuid-0x15"); "unknown" for an invalid source. */
const char *crosscheck_name(uint32_t source);

/* How far @source says @hz is off, in ppm of what @source says: positive where the calibration is faster. */
double crosscheck_disagreement(double hz, double source_hz);

/* True if that disagreement is within the bound of @source, for a counter of @hz. */
bool crosscheck_agrees(uint32_t source, double disagreement_ppm, double hz);

/* The frequency from the raw figures, in Hz; 0: unknown. Pure. */
double crosscheck_of_crystal(const CrosscheckLeaf *leaf_15);
double crosscheck_of_base(const CrosscheckLeaf *leaf_15, const CrosscheckLeaf *leaf_16);
double crosscheck_of_hypervisor(const CrosscheckLeaf *leaf_40000000, const CrosscheckLeaf *leaf_40000010);
double crosscheck_of_factor(uint32_t mult, uint16_t shift);                           /* ns = ticks * mult >> shift */
double crosscheck_of_ntp(double raw_hz, long freq_scaled, long tick_us, bool synced); /* as adjtimex() has them */

/* Reads each source on this machine; 0: unknown. @raw_hz is the calibrated frequency. */
void crosscheck_read(double raw_hz, double ret_hz[static _CROSSCHECK_N]);
