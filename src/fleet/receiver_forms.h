/* SPDX-License-Identifier: MIT
 *
 * receiver_forms.h - the forms of requests that receivers want: queries and bodies.
 */
#ifndef DWELL_FLEET_RECEIVER_FORMS_H
#define DWELL_FLEET_RECEIVER_FORMS_H

#include "receiver.h"

/* A request of OTLP/HTTP, packed by gzip. */
receiver_body receiver_body_otlp;

/* Parca's WriteRawRequest in JSON, with a profile of pprof and its labels. */
receiver_body receiver_body_parca;

/* Pyroscope's /ingest: the name of the service with labels, and the time. */
receiver_query receiver_query_pyroscope;

/* All attributes as parameters, by their own names. */
receiver_query receiver_query_labels;

#endif
