/* SPDX-License-Identifier: MIT
 *
 * work.h - something to profile: small jobs, each of about a millisecond, that spend their time in
 * one function each. Their results are returned so that no compiler may leave them out.
 *
 * Each has static memory of its own: two jobs may run at once, but not one job twice at once.
 */
#ifndef DWELL_EXAMPLES_WORK_H
#define DWELL_EXAMPLES_WORK_H

unsigned int multiply_matrices(void);
unsigned int sort_numbers(void);
unsigned int sieve_primes(void);
unsigned int hash_bytes(void);
unsigned int find_words(void);

/* Calls snprintf() all the time, so the time is libc's. */
unsigned int format_numbers(void);

#endif
