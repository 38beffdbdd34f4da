/* SPDX-License-Identifier: MIT
 *
 * store.h - prepares servers for storing.
 */
#ifndef DWELL_FLEET_STORE_H
#define DWELL_FLEET_STORE_H

#include "server.h"

/* Creates the database and its tables on each server of a URL; those that exist stay as they are.
 * Several servers have to be the shards of the URL's cluster. */
int store_init(const struct server_url *url, const struct http_tls *tls, struct err *err);

#endif
