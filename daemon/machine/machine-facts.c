/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/machine-facts.h"

#include <libcpuid/libcpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/root-dir.h"

void machine_facts_find(const char *text, const char *key, char *value, size_t n_value) {
        size_t n_key = strlen(key);

        value[0] = 0;
        for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
                const char *start;

                if (strncmp(line, key, n_key) != 0)
                        continue;
                start = line + n_key + strspn(line + n_key, " \t");
                if (*start != ':')
                        continue;
                start += 1 + strspn(start + 1, " \t");
                snprintf(value, n_value, "%.*s", (int)strcspn(start, "\n"), start);
                return;
        }
}

/* Reads a file whose lines are then searched; a missing file is empty. */
static int facts_read_text(RootDir *root, const char *path, char *text, size_t n_text) {
        int r;

        r = root_dir_read(root, path, text, n_text);
        if (r > 0)
                text[0] = 0;
        return r < 0 ? error_trace(r) : 0;
}

/* A kernel that finds the counter unstable removes it from its list. */
static int facts_read_trust(RootDir *root, bool *ret_trusts) {
        char line[256], *rest = line, *word;
        int r;

        r = root_dir_read_line(root, "sys/devices/system/clocksource/clocksource0/available_clocksource", line,
                        sizeof line);
        if (r < 0)
                return error_trace(r);
        *ret_trusts = r > 0;
        if (r > 0)
                return 0;
        while ((word = strsep(&rest, " ")))
                *ret_trusts |= strcmp(word, "tsc") == 0;
        return 0;
}

int machine_facts_read(RootDir *root, unsigned cpu, MachineFacts *ret_facts) {
        char text[8192], path[96], memory[32];
        MachineFacts facts = {};
        int r;

        r = facts_read_text(root, "proc/cpuinfo", text, sizeof text);
        if (r)
                return error_trace(r);
        machine_facts_find(text, "microcode", facts.microcode, sizeof facts.microcode);

        r = facts_read_text(root, "proc/meminfo", text, sizeof text);
        if (r)
                return error_trace(r);
        machine_facts_find(text, "MemTotal", memory, sizeof memory);
        facts.memory_bytes = strtoull(memory, NULL, 10) * 1024;

        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
        r = root_dir_read_line(root, path, facts.governor, sizeof facts.governor);
        if (r < 0)
                return error_trace(r);
        if (r > 0)
                facts.governor[0] = 0;

        r = facts_read_trust(root, &facts.trusts_tsc);
        if (r)
                return error_trace(r);

        *ret_facts = facts;
        return 0;
}

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

/* Some brand strings are padded with spaces. */
static void brand_copy(const char *brand, char *copy, size_t n_copy) {
        size_t n = strlen(brand);

        while (n > 0 && brand[n - 1] == ' ')
                n--;
        snprintf(copy, n_copy, "%.*s", (int)n, brand);
}

static void processor_add_cache(MachineProcessor *processor, unsigned level, MachineCacheKind kind, int32_t size_kib) {
        if (size_kib <= 0)
                return;
        processor->caches[processor->n_caches++] = (MachineCache){
                .level = level,
                .kind = kind,
                .size_bytes = (uint64_t)size_kib * 1024,
        };
}

int machine_processor_read(MachineProcessor *ret_processor) {
        struct cpu_raw_data_t raw;
        struct cpu_id_t data;
        MachineProcessor processor = {};

        if (!cpuid_present() || cpuid_get_raw_data(&raw) < 0 || cpu_identify(&raw, &data) < 0)
                return MACHINE_PROCESSOR_E_UNKNOWN;

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
