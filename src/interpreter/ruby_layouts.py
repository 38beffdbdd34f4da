#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ruby_layouts.py VERSION... - prints ruby_layouts.h: where Ruby keeps what a walk reads, for each version, such as 3.1.2,
whose internal header for its own compiler is in its package (ruby3.1-dev: rb_mjit_min_header-3.1.2.h).

The committed table was made so:

    src/interpreter/ruby_layouts.py 3.1.2
"""
import glob

from layouts import main, row

PROGRAM = r"""
#include "rb_mjit_min_header-@VERSION@.h"

#define SHOW(name, value) printf("\t\t.%s = %d,\n", name, (int)(value))

int main(void)
{
	int major, minor;

	sscanf("@VERSION@", "%d.%d", &major, &minor);
	printf("\t{\n");
	SHOW("version", major * 100 + minor);
	SHOW("context_stack", offsetof(rb_execution_context_t, vm_stack));
	SHOW("context_stack_words", offsetof(rb_execution_context_t, vm_stack_size));
	SHOW("context_frame", offsetof(rb_execution_context_t, cfp));
	SHOW("context_bytes", offsetof(rb_execution_context_t, cfp) + sizeof(void *));
	SHOW("frame_pc", offsetof(rb_control_frame_t, pc));
	SHOW("frame_code", offsetof(rb_control_frame_t, iseq));
	SHOW("frame_ep", offsetof(rb_control_frame_t, ep));
	SHOW("frame_bytes", sizeof(rb_control_frame_t));
	SHOW("flags", VM_ENV_DATA_INDEX_FLAGS * sizeof(VALUE));
	SHOW("flag_finish", VM_FRAME_FLAG_FINISH);
	SHOW("flag_native", VM_FRAME_FLAG_CFRAME);
	SHOW("code_mask", RUBY_T_MASK | IMEMO_MASK << RUBY_FL_USHIFT);
	SHOW("code_type", RUBY_T_IMEMO | imemo_iseq << RUBY_FL_USHIFT);
	SHOW("code_body", offsetof(rb_iseq_t, body));
	SHOW("body_words", offsetof(struct rb_iseq_constant_body, iseq_size));
	SHOW("body_start", offsetof(struct rb_iseq_constant_body, iseq_encoded));
	SHOW("body_path", offsetof(struct rb_iseq_constant_body, location.pathobj));
	SHOW("body_label", offsetof(struct rb_iseq_constant_body, location.label));
	SHOW("body_line", offsetof(struct rb_iseq_constant_body, location.first_lineno));
	SHOW("body_line_end", offsetof(struct rb_iseq_constant_body, location.code_location.end_pos.lineno));
	SHOW("body_places", offsetof(struct rb_iseq_constant_body, insns_info.body));
	SHOW("body_place_count", offsetof(struct rb_iseq_constant_body, insns_info.size));
	SHOW("body_index", offsetof(struct rb_iseq_constant_body, insns_info.succ_index_table));
	SHOW("body_bytes", offsetof(struct rb_iseq_constant_body, insns_info) + sizeof(((struct rb_iseq_constant_body *)0)->insns_info));
	SHOW("place_line", offsetof(struct iseq_insn_info_entry, line_no));
	SHOW("place_bytes", sizeof(struct iseq_insn_info_entry));
	SHOW("type_mask", RUBY_T_MASK);
	SHOW("type_text", RUBY_T_STRING);
	SHOW("type_list", RUBY_T_ARRAY);
	SHOW("text_outside", RSTRING_NOEMBED);
	SHOW("text_inside_shift", RSTRING_EMBED_LEN_SHIFT);
	SHOW("text_inside_mask", RSTRING_EMBED_LEN_MASK >> RSTRING_EMBED_LEN_SHIFT);
	SHOW("text_length", offsetof(struct RString, as.heap.len));
	SHOW("text_data", offsetof(struct RString, as.heap.ptr));
	SHOW("text_inside", offsetof(struct RString, as));
	SHOW("list_inside_flag", RARRAY_EMBED_FLAG);
	SHOW("list_data", offsetof(struct RArray, as.heap.ptr));
	SHOW("list_inside", offsetof(struct RArray, as));
	printf("\t},\n");
	return 0;
}
"""


def row_of(version):
    api = version.rsplit(".", 1)[0] + ".0"
    folders = glob.glob(f"/usr/include/ruby-{api}") + glob.glob(f"/usr/include/*/ruby-{api}")
    # The header refers to functions of Ruby, which are never called.
    return row(PROGRAM.replace("@VERSION@", version), [f"-I{folder}" for folder in folders],
               ["-no-pie", "-Wl,--unresolved-symbols=ignore-all"])


if __name__ == "__main__":
    main(__doc__, "ruby", "the headers of each version", row_of)
