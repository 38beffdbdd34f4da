/* SPDX-License-Identifier: MIT
 *
 * profil.h - statistical profiling by program counter: profil() as Linux, BSD and Solaris define
 * it, and sprofil(). See profil(3) and sprofil(3); for pcsample() include <pcsample.h>.
 *
 * Choose what plain `profil` means before including this file:
 *
 *	#define PROFIL_DIALECT PROFIL_BSD
 *	#include <profil.h>
 *
 * Without the define it is the Linux dialect. The three dialects can be used side by side under
 * their own names. There is one setting per process: starting any of them ends the previous one.
 */
#ifndef DWELL_PROFIL_H
#define DWELL_PROFIL_H

#include <stddef.h>
#include <sys/time.h>
/*
 * libc declares its own profil(), marked nonnull although NULL turns profiling off. It must be
 * declared before the macro at the end of this file takes the name.
 */
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<sys/profil.h>)
#include <sys/profil.h>
#define DWELL_HAVE_SYS_PROFIL_H 1
#endif
#endif

#define PROFIL_LINUX   1
#define PROFIL_BSD     2
#define PROFIL_SOLARIS 3

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DWELL_HAVE_SYS_PROFIL_H
/* One region of sprofil(): text from pr_off on is counted in the pr_size bytes at pr_base. */
struct prof {
	void *pr_base;
	size_t pr_size;
	size_t pr_off;
	unsigned long pr_scale;
};

enum {
	PROF_USHORT = 0, /* 16-bit counters */
	PROF_UINT = 1,   /* 32-bit counters */
	PROF_FAST = 2    /* accepted, no effect */
};

int sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);
#endif

int profil_linux(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale);
int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale);
void profil_solaris(unsigned short *buff, size_t bufsiz, unsigned long offset, unsigned int scale);

/* State of the clock behind these calls, or its last state if it is turned off. */
struct profil_clock_info {
	const char *clock;          /* "perf", "timer" or "itimer"; NULL: never started */
	const char *system_time;    /* source that sees time spent in the kernel */
	const char *problem;        /* why the last start failed, in one sentence; or NULL */
	int running;                /* 1 while ticks are being counted */
	double asked_hz;            /* requested ticks per second of CPU time */
	double achieved_hz;         /* interruptions with ticks, per second of CPU time */
	double cpu_seconds;         /* CPU time of the process while the clock ran */
	unsigned long long samples; /* ticks counted; a late interruption counts several */
	unsigned long long signals; /* interruptions that delivered them */
	unsigned long long outside; /* samples outside every requested region */
	unsigned long long lost;    /* ticks of CPU time that passed and were not counted */
	unsigned int threads;       /* threads currently known */
	unsigned int unwatched;     /* threads without ticks: no clock available, or all blocked */
};

/* Fills *info. Returns 0, or -1 with errno EINVAL if info is NULL. Async-signal-safe. */
int profil_clock_info(struct profil_clock_info *info);

#ifdef __cplusplus
}
#endif

#if !defined(PROFIL_DIALECT) || PROFIL_DIALECT == PROFIL_LINUX
#define profil profil_linux
#elif PROFIL_DIALECT == PROFIL_BSD
#define profil profil_bsd
#elif PROFIL_DIALECT == PROFIL_SOLARIS
#define profil profil_solaris
#else
#error "PROFIL_DIALECT must be PROFIL_LINUX, PROFIL_BSD or PROFIL_SOLARIS"
#endif

#endif
