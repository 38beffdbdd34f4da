/* SPDX-License-Identifier: MIT */
#include "altstacks.h"

#include <stdint.h>
#include <sys/auxv.h>

#include "signals.h"
#include "sys.h"
#include "thread.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51 /* not every libc names it */
#endif

#define NOTES_MAX 64

/* The most that one signal frame may exceed another, by alignment. */
#define PADDING 128

/* Bytes that handlers of the program may need for themselves. */
#define HANDLER_BYTES 8192

/* Used if the kernel does not report the size of a signal frame. */
#define FRAME_MAX 16384

struct note {
	pid_t tid; /* 0: free */
	size_t size;
};

static struct {
	struct note notes[NOTES_MAX]; /* on stacks that may be too small */
	unsigned int used;            /* notes[used] and above are free */
	bool crowded;                 /* there was no room for one, of any thread */
	size_t frame_max;
} altstacks;

static size_t frame_max(void)
{
	if (!altstacks.frame_max)
		altstacks.frame_max = getauxval(AT_MINSIGSTKSZ);
	if (!altstacks.frame_max)
		altstacks.frame_max = FRAME_MAX;
	return altstacks.frame_max;
}

bool altstacks_may_be_small(size_t size)
{
	return size < frame_max() + PADDING;
}

size_t altstacks_size(const stack_t *stack)
{
	return !(stack->ss_flags & SS_DISABLE) ? stack->ss_size : arch_splits_stack();
}

static size_t frame_bytes(void)
{
	size_t frame = signals_frame_bytes();

	return (frame ? frame : frame_max()) + PADDING;
}

bool altstacks_is_tight(size_t size)
{
	return size < 2 * frame_bytes() + HANDLER_BYTES;
}

static struct note *note_of(pid_t tid)
{
	for (unsigned int i = 0; i < altstacks.used; i++)
		if (altstacks.notes[i].tid == tid)
			return &altstacks.notes[i];
	return NULL;
}

void altstacks_note(pid_t tid, size_t size)
{
	bool is_small = size && altstacks_may_be_small(size);
	struct note *note = note_of(tid);

	if (!note && is_small)
		note = note_of(0);
	if (!note && is_small && altstacks.used < NOTES_MAX)
		note = &altstacks.notes[altstacks.used++];
	if (note)
		*note = (struct note){ is_small ? tid : 0, size };
	else if (is_small)
		altstacks.crowded = true;
}

void altstacks_note_mine(void)
{
	stack_t now;

	if (sys_sigaltstack(NULL, &now) == 0)
		altstacks_note(sys_gettid(), altstacks_size(&now));
}

bool altstacks_forbid(pid_t tid)
{
	const struct note *note = note_of(tid);

	return altstacks.crowded || (note && note->size < frame_bytes());
}

void altstacks_forget(void)
{
	altstacks.used = 0;
	altstacks.crowded = false;
}
