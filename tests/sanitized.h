/* SPDX-License-Identifier: MIT
 *
 * sanitized.h - IS_SANITIZED: the address sanitizer is in this program. It takes time, memory and
 * stack.
 */
#ifndef DWELL_TESTS_SANITIZED_H
#define DWELL_TESTS_SANITIZED_H

#ifdef __has_feature /* clang has no macro for it, and gcc 12 has no such question */
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#endif

#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#endif
