/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statements about the counter's frequency, from registers and structures as real machines have them. */

#include "clock/crosscheck.h"
#include "test.h"

/* A hypervisor's first leaf: the last leaf that it has, and who it is. */
static CrosscheckLeaf hypervisor_leaf(uint32_t last, const char *vendor) {
        CrosscheckLeaf leaf = { .eax = last };
        char name[12] = "";

        memcpy(name, vendor, strlen(vendor));
        memcpy(&leaf.ebx, name, 4);
        memcpy(&leaf.ecx, name + 4, 4);
        memcpy(&leaf.edx, name + 8, 4);
        return leaf;
}

/* The crystals of 24 MHz and 38.4 MHz of Intel's SDM, vol. 4, and their ratios. */
TEST(a_crystal_and_its_ratio_make_the_frequency) {
        assert_true(crosscheck_of_crystal(&(CrosscheckLeaf){ 2, 216, 24000000, 0 }) == 2592e6);
        assert_true(crosscheck_of_crystal(&(CrosscheckLeaf){ 2, 146, 38400000, 0 }) == 2803.2e6);
}

TEST(a_leaf_that_does_not_tell_is_no_source) {
        assert_true(crosscheck_of_crystal(&(CrosscheckLeaf){}) == 0);               /* AMD */
        assert_true(crosscheck_of_crystal(&(CrosscheckLeaf){ 2, 216, 0, 0 }) == 0); /* Skylake */
        assert_true(crosscheck_of_base(&(CrosscheckLeaf){ 2, 216, 0, 0 }, &(CrosscheckLeaf){ .eax = 2600 }) == 2600e6);
        assert_true(crosscheck_of_base(&(CrosscheckLeaf){ 2, 216, 24000000, 0 }, &(CrosscheckLeaf){ .eax = 2600 }) ==
                        0);
        assert_true(crosscheck_of_base(&(CrosscheckLeaf){}, &(CrosscheckLeaf){}) == 0);
}

TEST(a_hypervisor_counts_only_if_it_has_the_leaf) {
        CrosscheckLeaf timing = { .eax = 2596122 }, vmware = hypervisor_leaf(0x40000010, "VMwareVMware");
        CrosscheckLeaf kvm = hypervisor_leaf(0x40000010, "KVMKVMKVM"), plain = hypervisor_leaf(0x40000001, "KVMKVMKVM");
        CrosscheckLeaf hyperv = hypervisor_leaf(0x40000082, "Microsoft Hv"); /* the leaf is another one there */

        assert_true(crosscheck_of_hypervisor(&vmware, &timing) == 2596122e3);
        assert_true(crosscheck_of_hypervisor(&kvm, &timing) == 2596122e3);
        assert_true(crosscheck_of_hypervisor(&plain, &timing) == 0);
        assert_true(crosscheck_of_hypervisor(&hyperv, &timing) == 0);
        assert_true(crosscheck_of_hypervisor(&kvm, &(CrosscheckLeaf){}) == 0);
}

/* The kernel makes mult of a frequency in whole kHz, as large as 32 bits allow. */
TEST(a_kernels_factor_gives_its_frequency_back) {
        seed_random();
        for (unsigned i = 0; i < 10000; i++) {
                double hz = 1e3 * (uint64_t)(1e6 + drand48() * 5e6);
                unsigned shift = 31;
                double found;

                while (ldexp(1e9, shift) / hz > UINT32_MAX)
                        shift--;
                found = crosscheck_of_factor(ldexp(1e9, shift) / hz + 0.5, shift);
                assert_true(fabs(crosscheck_disagreement(hz, found)) < 0.01);
        }
        assert_true(crosscheck_of_factor(0, 31) == 0);
        assert_true(crosscheck_of_factor(1, 64) == 0);
}

/* Where the kernel makes the second 20 ppm shorter, the counter does 20 ppm fewer ticks in one. */
TEST(a_disciplined_second_shortens_or_lengthens_the_raw_one) {
        double faster = crosscheck_of_ntp(2.6e9, 20 * 65536, 10000, true);

        assert_true(fabs(crosscheck_disagreement(2.6e9, faster) - 20) < 0.001);
        assert_true(crosscheck_of_ntp(2.6e9, 0, 10000, true) == 2.6e9);
        assert_true(fabs(crosscheck_disagreement(2.6e9, crosscheck_of_ntp(2.6e9, 0, 9999, true)) + 100) < 0.001);
        assert_true(crosscheck_of_ntp(2.6e9, 20 * 65536, 10000, false) == 0);
}

TEST(nonsense_is_no_source) {
        assert_true(crosscheck_of_crystal(&(CrosscheckLeaf){ 1, 1, 1, 0 }) == 0);
        assert_true(crosscheck_of_crystal(&(CrosscheckLeaf){ 1, UINT32_MAX, UINT32_MAX, 0 }) == 0);
        assert_true(crosscheck_of_ntp(2.6e9, 0, 0, true) == 0);
}

TEST(each_source_may_be_off_by_its_own_bound) {
        static const struct {
                uint32_t source;
                double most_ppm;
        } rows[] = {
                { CROSSCHECK_CPUID_CRYSTAL, 500 },
                { CROSSCHECK_CPUID_BASE, 1000 }, /* 1 MHz of 2 GHz */
                { CROSSCHECK_HYPERVISOR, 500.5 },
                { CROSSCHECK_KERNEL, 5.5 },
                { CROSSCHECK_SYSFS, 5.5 },
                { CROSSCHECK_NTP, 500 },
        };

        assert_int_equal(sizeof rows / sizeof *rows, _CROSSCHECK_N);
        for (size_t i = 0; i < _CROSSCHECK_N; i++) {
                assert_true(crosscheck_agrees(rows[i].source, 0.99 * rows[i].most_ppm, 2e9));
                assert_true(crosscheck_agrees(rows[i].source, -0.99 * rows[i].most_ppm, 2e9));
                assert_false(crosscheck_agrees(rows[i].source, 1.01 * rows[i].most_ppm, 2e9));
                assert_false(crosscheck_agrees(rows[i].source, NAN, 2e9));
        }
        assert_false(crosscheck_agrees(_CROSSCHECK_N, 0, 2e9));
        assert_string_equal(crosscheck_name(_CROSSCHECK_N), "unknown");
}

TEST(this_machine_tells_what_is_plausible_or_nothing) {
        double hz[_CROSSCHECK_N];

        crosscheck_read(2e9, hz);
        for (size_t i = 0; i < _CROSSCHECK_N; i++) {
                printf("%s %.0f\n", crosscheck_name(i), hz[i]);
                assert_true(hz[i] == 0 || (hz[i] >= 1e6 && hz[i] <= 1e11));
        }
}
