/* SPDX-License-Identifier: MIT
 *
 * ruby_other.c - looks like an interpreter of Ruby of an unknown version.
 */
#include "record_load.h"

const char ruby_version[] = "3.9.1";
int ruby_run_node;

DEFINE_BURNER(rb_vm_exec)

int main(void)
{
	rb_vm_exec(0.1);
	return ruby_run_node;
}
