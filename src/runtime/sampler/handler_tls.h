/* SPDX-License-Identifier: MIT
 *
 * handler_tls.h - marks thread-local storage that handlers read. glibc allocates storage that is
 * not initial-exec on first use, which may be in a handler. musl has allocated everything when
 * dlopen() returns, and refuses libraries with initial-exec storage.
 */
#ifndef DWELL_RUNTIME_SAMPLER_HANDLER_TLS_H
#define DWELL_RUNTIME_SAMPLER_HANDLER_TLS_H

#include <features.h>

#ifdef __GLIBC__
#define TLS_FOR_HANDLERS __attribute__((tls_model("initial-exec")))
#else
#define TLS_FOR_HANDLERS
#endif

#endif
