/* SPDX-License-Identifier: MIT */
#include "cpu.h"

extern const struct arch_cpu arch_cpu_aarch64, arch_cpu_i386, arch_cpu_riscv64, arch_cpu_x86_64;

static const struct arch_cpu *const cpus[] = { &arch_cpu_aarch64, &arch_cpu_i386, &arch_cpu_riscv64,
					       &arch_cpu_x86_64 };

const struct arch_cpu *arch_cpu_of(unsigned machine, unsigned elf_class)
{
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (cpus[i]->machine == machine && cpus[i]->elf_class == elf_class)
			return cpus[i];
	return NULL;
}
