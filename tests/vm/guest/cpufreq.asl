// SPDX-License-Identifier: GPL-3.0-or-later

// What makes the kernel's own acpi-cpufreq bind in a machine that qemu emulates: three performance states for each of its
// processors (ACPI 6.4, 8.4.5). The control register is a port that no device of the machine has: what is written there
// is lost, so the speed stays what it is, but governors and limits are those of a real machine.

DefinitionBlock ("", "SSDT", 2, "BENCHD", "CPUFREQ", 1)
{
    External (\_SB.CPUS.C000, ProcessorObj)
    External (\_SB.CPUS.C001, ProcessorObj)
    External (\_SB.CPUS.C002, ProcessorObj)
    External (\_SB.CPUS.C003, ProcessorObj)

    Name (\PCTL, Package () {
        ResourceTemplate () { Register (SystemIO, 8, 0, 0x0890) },
        ResourceTemplate () { Register (SystemIO, 8, 0, 0x0891) }
    })

    // MHz, mW, microseconds to change it, and of no bus; what is written, what is read back.
    Name (\PSTA, Package () {
        Package () { 3000, 60000, 10, 10, 0, 0 },
        Package () { 2000, 40000, 10, 10, 1, 1 },
        Package () { 1000, 20000, 10, 10, 2, 2 }
    })

    Scope (\_SB.CPUS.C000) { Method (_PCT) { Return (\PCTL) } Method (_PSS) { Return (\PSTA) } Method (_PPC) { Return (0) } }
    Scope (\_SB.CPUS.C001) { Method (_PCT) { Return (\PCTL) } Method (_PSS) { Return (\PSTA) } Method (_PPC) { Return (0) } }
    Scope (\_SB.CPUS.C002) { Method (_PCT) { Return (\PCTL) } Method (_PSS) { Return (\PSTA) } Method (_PPC) { Return (0) } }
    Scope (\_SB.CPUS.C003) { Method (_PCT) { Return (\PCTL) } Method (_PSS) { Return (\PSTA) } Method (_PPC) { Return (0) } }
}
