/* SPDX-License-Identifier: MIT
 *
 * page_template.h - the page without data. It is made from web/ when dwell is built.
 */
#ifndef DWELL_CLI_REPORT_PAGE_TEMPLATE_H
#define DWELL_CLI_REPORT_PAGE_TEMPLATE_H

#include <stddef.h>

extern const char page_template[];
extern const size_t page_template_size;

#endif
