/* SPDX-License-Identifier: MIT */
#include "clock/crosscheck.h"

#include <cpuid.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#define LEAF_CRYSTAL    0x15u
#define LEAF_BASE       0x16u
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_TIMING     0x40000010u

#define HZ_MIN          1e6 /* what is slower or faster is no frequency of a counter */
#define HZ_MAX          1e11
#define NTP_SCALE       65536.0 /* of timex.freq, whose unit is 2^-16 ppm */
#define NTP_TICKS_A_S   100.0   /* of USER_HZ, each of timex.tick us */
#define CROSSCHECK_PAGE 4096u

static const struct {
        const char *name;
        double bound_ppm;
        double rounding_hz; /* of the source's figure, at worst */
} rows[] = {
        [CROSSCHECK_CPUID_CRYSTAL] = { "cpuid-0x15", 500, 0 },
        [CROSSCHECK_CPUID_BASE] = { "cpuid-0x16", 500, 1e6 },
        [CROSSCHECK_HYPERVISOR] = { "hypervisor", 500, 1e3 },
        [CROSSCHECK_KERNEL] = { "kernel", 5, 1e3 },
        [CROSSCHECK_SYSFS] = { "sysfs", 5, 1e3 },
        [CROSSCHECK_NTP] = { "ntp", 500, 0 },
};

_Static_assert(sizeof rows / sizeof *rows == _CROSSCHECK_N, "a row a source");

/* ---- pure */

const char *crosscheck_name(uint32_t source) {
        return source < _CROSSCHECK_N ? rows[source].name : "unknown";
}

double crosscheck_disagreement(double hz, double source_hz) {
        return 1e6 * (hz - source_hz) / source_hz;
}

bool crosscheck_agrees(uint32_t source, double disagreement_ppm, double hz) {
        return source < _CROSSCHECK_N &&
               fabs(disagreement_ppm) <= rows[source].bound_ppm + 1e6 * rows[source].rounding_hz / hz;
}

static double plausible(double hz) {
        return hz >= HZ_MIN && hz <= HZ_MAX ? hz : 0;
}

double crosscheck_of_crystal(const CrosscheckLeaf *leaf_15) {
        return leaf_15->eax ? plausible((double)leaf_15->ecx * leaf_15->ebx / leaf_15->eax) : 0;
}

/* The counter runs at the base frequency; 0x16 tells it in MHz, so where 0x15 names the crystal it has nothing to add. */
double crosscheck_of_base(const CrosscheckLeaf *leaf_15, const CrosscheckLeaf *leaf_16) {
        return leaf_15->ecx ? 0 : plausible((leaf_16->eax & 0xffff) * 1e6);
}

double crosscheck_of_hypervisor(const CrosscheckLeaf *leaf_40000000, const CrosscheckLeaf *leaf_40000010) {
        static const char vendors[][13] = { "VMwareVMware", "KVMKVMKVM\0\0\0" };
        const uint32_t own[] = { leaf_40000000->ebx, leaf_40000000->ecx, leaf_40000000->edx };

        if (leaf_40000000->eax < LEAF_TIMING)
                return 0;
        for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
                if (memcmp(own, vendors[i], sizeof own) == 0)
                        return plausible(leaf_40000010->eax * 1e3);
        return 0;
}

double crosscheck_of_factor(uint32_t mult, uint16_t shift) {
        return mult && shift < 64 ? plausible(ldexp(1e9, shift) / mult) : 0;
}

/* A disciplined second is this many seconds of CLOCK_MONOTONIC_RAW long, against which the counter was calibrated. */
double crosscheck_of_ntp(double raw_hz, long freq_scaled, long tick_us, bool synced) {
        double rate = tick_us * NTP_TICKS_A_S / 1e6 + freq_scaled / NTP_SCALE / 1e6;

        return synced && rate > 0 ? plausible(raw_hz / rate) : 0;
}

/* ---- what this machine says */

static CrosscheckLeaf cpuid_leaf(uint32_t leaf) {
        CrosscheckLeaf read = {};

        if (leaf < LEAF_HYPERVISOR && leaf > (uint32_t)__get_cpuid_max(0, NULL))
                return read;
        __cpuid_count(leaf, 0, read.eax, read.ebx, read.ecx, read.edx);
        return read;
}

/* Without a hypervisor its leaves answer as some other one. */
static bool under_hypervisor(void) {
        return cpuid_leaf(1).ecx >> 31;
}

static double read_hypervisor(void) {
        CrosscheckLeaf first, timing = {};

        if (!under_hypervisor())
                return 0;
        first = cpuid_leaf(LEAF_HYPERVISOR);
        if (first.eax >= LEAF_TIMING)
                timing = cpuid_leaf(LEAF_TIMING);
        return crosscheck_of_hypervisor(&first, &timing);
}

static double page_hz(const struct perf_event_mmap_page *page) {
        return page->cap_user_time ? crosscheck_of_factor(page->time_mult, page->time_shift) : 0;
}

/* A software event that counts nothing, for the page with the kernel's conversion from ticks to ns. */
static double read_kernel(void) {
        struct perf_event_attr attributes = {
                .type = PERF_TYPE_SOFTWARE,
                .size = sizeof attributes,
                .config = PERF_COUNT_SW_DUMMY,
                .exclude_kernel = 1,
                .exclude_hv = 1,
        };
        void *page;
        double hz;
        int fd;

        fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0)
                return 0;
        page = mmap(NULL, CROSSCHECK_PAGE, PROT_READ, MAP_SHARED, fd, 0);
        close(fd);
        if (page == MAP_FAILED)
                return 0;
        hz = page_hz(page);
        munmap(page, CROSSCHECK_PAGE);
        return hz;
}

static double read_sysfs(void) {
        FILE *file = fopen("/sys/devices/system/cpu/cpu0/tsc_freq_khz", "re");
        double khz = 0;

        if (!file)
                return 0;
        if (fscanf(file, "%lf", &khz) != 1)
                khz = 0;
        fclose(file);
        return plausible(khz * 1e3);
}

static double read_ntp(double raw_hz) {
        struct timex time = {};

        if (adjtimex(&time) < 0)
                return 0;
        return crosscheck_of_ntp(raw_hz, time.freq, time.tick, !(time.status & STA_UNSYNC));
}

void crosscheck_read(double raw_hz, double ret_hz[static _CROSSCHECK_N]) {
        CrosscheckLeaf crystal = cpuid_leaf(LEAF_CRYSTAL), base = cpuid_leaf(LEAF_BASE);

        ret_hz[CROSSCHECK_CPUID_CRYSTAL] = crosscheck_of_crystal(&crystal);
        ret_hz[CROSSCHECK_CPUID_BASE] = crosscheck_of_base(&crystal, &base);
        ret_hz[CROSSCHECK_HYPERVISOR] = read_hypervisor();
        ret_hz[CROSSCHECK_KERNEL] = read_kernel();
        ret_hz[CROSSCHECK_SYSFS] = read_sysfs();
        ret_hz[CROSSCHECK_NTP] = read_ntp(raw_hz);
}
