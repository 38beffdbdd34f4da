#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""perl_layouts.py FOLDER... - prints perl_layouts.h: where Perl keeps what a walk reads, for each version whose headers
are in a folder, such as /usr/lib/x86_64-linux-gnu/perl/5.36/CORE (package libperl-dev).

The committed table was made so:

    src/interpreter/perl_layouts.py /usr/lib/x86_64-linux-gnu/perl/5.36/CORE

and its row of aarch64, where a jmp_buf is larger, from the headers of arm64, unpacked in ROOT:

    CC=aarch64-linux-gnu-gcc EMULATOR="qemu-aarch64-static -L /usr/aarch64-linux-gnu" \
        src/interpreter/perl_layouts.py ROOT/usr/lib/aarch64-linux-gnu/perl/5.36/CORE
"""
from layouts import main, row

PROGRAM = r"""
#define PERL_CORE
#include "EXTERN.h"
#include "perl.h"
#include <stddef.h>
#include <string.h>
#undef printf
int printf(const char *, ...);

#define SHOW(name, value) printf("\t\t.%s = %d,\n", name, (int)(value))

/* Returns where the type of an operation is, which is a field of bits. */
static int type_at(void)
{
	OP op;
	unsigned char bytes[sizeof(op)];
	int at = 0;

	memset(&op, 0, sizeof(op));
	op.op_type = 0x1ff;
	memcpy(bytes, &op, sizeof(op));
	while (!bytes[at])
		at++;
	return at;
}

int main(void)
{
#if !defined(MULTIPLICITY) || !defined(USE_ITHREADS) || defined(DEBUGGING)
	return 1;
#endif
	printf("\t{\n");
	SHOW("version", PERL_REVISION * 100 + PERL_VERSION);
	SHOW("state_cop", offsetof(PerlInterpreter, Icurcop));
	SHOW("state_stack", offsetof(PerlInterpreter, Icurstackinfo));
	SHOW("state_runops", offsetof(PerlInterpreter, Irunops));
	SHOW("state_compiled", offsetof(PerlInterpreter, Icompiling));
	SHOW("state_main_code", offsetof(PerlInterpreter, Imain_cv));
	SHOW("state_main_start", offsetof(PerlInterpreter, Imain_start));
	SHOW("state_main_file", offsetof(PerlInterpreter, Iorigfilename));
	SHOW("state_bytes", sizeof(PerlInterpreter));
	SHOW("stack_contexts", offsetof(PERL_SI, si_cxstack));
	SHOW("stack_previous", offsetof(PERL_SI, si_prev));
	SHOW("stack_last", offsetof(PERL_SI, si_cxix));
	SHOW("stack_last_function", offsetof(PERL_SI, si_cxsubix));
	SHOW("stack_type", offsetof(PERL_SI, si_type));
	SHOW("stack_bytes", sizeof(PERL_SI));
	SHOW("stack_type_main", PERLSI_MAIN);
	SHOW("stack_type_sort", PERLSI_SORT);
	SHOW("context_type", offsetof(PERL_CONTEXT, cx_type));
	SHOW("context_cop", offsetof(PERL_CONTEXT, blk_oldcop));
	/* The same for a format, and the first two for an eval: */
	SHOW("context_return", offsetof(PERL_CONTEXT, blk_sub.retop));
	SHOW("context_outer", offsetof(PERL_CONTEXT, blk_sub.old_cxsubix));
	SHOW("context_code", offsetof(PERL_CONTEXT, blk_sub.cv));
	_Static_assert(offsetof(PERL_CONTEXT, blk_sub.retop) == offsetof(PERL_CONTEXT, blk_format.retop) &&
		       offsetof(PERL_CONTEXT, blk_sub.retop) == offsetof(PERL_CONTEXT, blk_eval.retop) &&
		       offsetof(PERL_CONTEXT, blk_sub.old_cxsubix) == offsetof(PERL_CONTEXT, blk_format.old_cxsubix) &&
		       offsetof(PERL_CONTEXT, blk_sub.old_cxsubix) == offsetof(PERL_CONTEXT, blk_eval.old_cxsubix) &&
		       offsetof(PERL_CONTEXT, blk_sub.cv) == offsetof(PERL_CONTEXT, blk_format.cv), "");
	SHOW("context_depth", offsetof(PERL_CONTEXT, blk_sub.olddepth));
	SHOW("context_file", offsetof(PERL_CONTEXT, blk_eval.old_namesv));
	SHOW("context_bytes", sizeof(PERL_CONTEXT));
	SHOW("type_mask", CXTYPEMASK);
	SHOW("type_none", CXt_NULL);
	SHOW("type_sub", CXt_SUB);
	SHOW("type_format", CXt_FORMAT);
	SHOW("type_eval", CXt_EVAL);
	SHOW("flag_repeated", CXp_MULTICALL);
	SHOW("flag_block", CXp_EVALBLOCK | CXp_TRY);
	SHOW("flag_text", CXp_REAL);
	SHOW("value_body", offsetof(SV, sv_any));
	SHOW("value_flags", offsetof(SV, sv_flags));
	SHOW("value_type_mask", SVTYPEMASK);
	SHOW("value_code", SVt_PVCV);
	SHOW("value_format", SVt_PVFM);
	SHOW("value_text", offsetof(SV, sv_u));
	SHOW("value_bytes", sizeof(SV));
	SHOW("code_start", offsetof(XPVCV, xcv_start_u));
	SHOW("code_root", offsetof(XPVCV, xcv_root_u));
	SHOW("code_stash", offsetof(XPVCV, xcv_stash));
	SHOW("code_name", offsetof(XPVCV, xcv_gv_u));
	SHOW("code_file", offsetof(XPVCV, xcv_file));
	SHOW("code_flags", offsetof(XPVCV, xcv_flags));
	SHOW("code_depth", offsetof(XPVCV, xcv_depth));
	SHOW("code_bytes", sizeof(XPVCV));
	SHOW("code_flag_named", CVf_NAMED);
	SHOW("glob_name", offsetof(XPVGV, xiv_u.xivu_namehek));
	SHOW("glob_stash", offsetof(XPVGV, xnv_u.xgv_stash));
	SHOW("hash_name", offsetof(struct xpvhv_with_aux, xhv_aux.xhv_name_u));
	SHOW("hash_name_count", offsetof(struct xpvhv_with_aux, xhv_aux.xhv_name_count));
	SHOW("hash_flag", SVf_OOK);
	SHOW("key_length", offsetof(HEK, hek_len));
	SHOW("key_text", offsetof(HEK, hek_key));
	SHOW("op_next", offsetof(OP, op_next));
	SHOW("op_type", type_at());
	SHOW("op_type_mask", 0x1ff);
	SHOW("op_type_line", OP_NEXTSTATE);
	SHOW("op_type_line_debugged", OP_DBSTATE);
	SHOW("line_number", offsetof(COP, cop_line));
	SHOW("line_file", offsetof(COP, cop_file));
	SHOW("line_bytes", sizeof(COP));
	SHOW("slot_place", offsetof(OPSLOT, opslot_offset));
	SHOW("slot_op", offsetof(OPSLOT, opslot_op));
	SHOW("slab_next", offsetof(OPSLAB, opslab_next));
	SHOW("slab_head", offsetof(OPSLAB, opslab_head));
	SHOW("slab_words", offsetof(OPSLAB, opslab_size));
	SHOW("slab_slots", offsetof(OPSLAB, opslab_slots));
	printf("\t},\n");
	return 0;
}
"""


def row_of(folder):
    # The headers refer to functions of Perl, which are never called.
    return row(PROGRAM, [f"-I{folder}", "-D_REENTRANT", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64"],
               ["-no-pie", "-Wl,--unresolved-symbols=ignore-all"])


if __name__ == "__main__":
    main(__doc__, "perl", "the headers of each version", row_of)
