/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/processor.h"

#include <libcpuid/libcpuid.h>
#include <stdio.h>
#include <string.h>

static const char *const hypervisor_names[NUM_HYPERVISOR_VENDORS] = {
        [HYPERVISOR_BHYVE] = "bhyve",
        [HYPERVISOR_HYPERV] = "hyper-v",
        [HYPERVISOR_KVM] = "kvm",
        [HYPERVISOR_PARALLELS] = "parallels",
        [HYPERVISOR_QEMU] = "qemu",
        [HYPERVISOR_VIRTUALBOX] = "virtualbox",
        [HYPERVISOR_VMWARE] = "vmware",
        [HYPERVISOR_XEN] = "xen",
};

static const char *hypervisor_name(struct cpu_raw_data_t *raw, struct cpu_id_t *data) {
        hypervisor_vendor_t vendor = cpuid_get_hypervisor(raw, data);

        if (vendor > HYPERVISOR_NONE && vendor < NUM_HYPERVISOR_VENDORS)
                return hypervisor_names[vendor];
        return data->flags[CPU_FEATURE_HYPERVISOR] ? "unknown" : NULL;
}

/* Some are padded with spaces. */
static void brand_copy(const char *brand, char *copy, size_t n_copy) {
        size_t n = strlen(brand);

        while (n > 0 && brand[n - 1] == ' ')
                n--;
        snprintf(copy, n_copy, "%.*s", (int)n, brand);
}

static void processor_add_cache(Processor *processor, unsigned level, CacheKind kind, int32_t size_kib) {
        if (size_kib <= 0)
                return;
        processor->caches[processor->n_caches++] = (ProcessorCache){
                .level = level,
                .kind = kind,
                .size_bytes = (uint64_t)size_kib * 1024,
        };
}

int processor_read(Processor *ret_processor) {
        struct cpu_raw_data_t raw;
        struct cpu_id_t data;
        Processor processor = {};

        if (!cpuid_present() || cpuid_get_raw_data(&raw) < 0 || cpu_identify(&raw, &data) < 0)
                return PROCESSOR_E_UNKNOWN;

        brand_copy(data.brand_str, processor.brand, sizeof processor.brand);
        processor.hypervisor = hypervisor_name(&raw, &data);
        processor.family = data.ext_family;
        processor.model = data.ext_model;
        processor.stepping = data.stepping;
        processor.invariant_tsc = data.flags[CPU_FEATURE_CONSTANT_TSC];
        processor_add_cache(&processor, 1, CACHE_DATA, data.l1_data_cache);
        processor_add_cache(&processor, 1, CACHE_INSTRUCTION, data.l1_instruction_cache);
        processor_add_cache(&processor, 2, CACHE_UNIFIED, data.l2_cache);
        processor_add_cache(&processor, 3, CACHE_UNIFIED, data.l3_cache);
        *ret_processor = processor;
        return 0;
}
