/* SPDX-License-Identifier: MIT
 *
 * test_mcp.c - messages of the Model Context Protocol: what is replied, and which command lines
 * tools become.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/mcp/mcp.h"
#include "tap.h"

/* The last command line that was run, its words joined by |. */
static char command[4096];

static const char *printed = "rows";
static int failure;

static int run(char *const argv[], struct mcp_output *output)
{
	command[0] = '\0';
	for (char *const *at = argv; *at; at++) {
		strcat(command, *at);
		strcat(command, at[1] ? "|" : "");
	}
	if (failure)
		return failure;
	output->text = strdup(printed);
	output->is_error = strcmp(printed, "rows") != 0;
	return output->text ? 0 : -ENOMEM;
}

/* Returns the reply, which is valid JSON, or NULL. */
static json_t *reply_to(const char *message)
{
	char *text = mcp_reply(message, strlen(message), run);
	json_t *reply = text ? json_loads(text, 0, NULL) : NULL;

	if (text && (!reply || strchr(text, '\n')))
		bail_out("a reply is not one line of JSON");
	free(text);
	return reply;
}

static bool has_error(const char *message, int code, const char *words)
{
	json_t *reply = reply_to(message), *error = json_object_get(reply, "error");
	const char *text = json_string_value(json_object_get(error, "message"));
	bool is_right = text && json_integer_value(json_object_get(error, "code")) == code &&
			strstr(text, words);

	if (!is_right)
		note("%s: %s", message, text ? text : "no error");
	json_decref(reply);
	return is_right;
}

/* Calls a tool, with arguments in JSON. Returns the text of its result; free with free(). */
static char *call(const char *tool, const char *arguments, bool *is_error)
{
	char message[4096];
	json_t *reply, *result, *first;
	char *text;

	command[0] = '\0';
	snprintf(message, sizeof(message),
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
		 "{\"name\":\"%s\",\"arguments\":%s}}",
		 tool, arguments);
	reply = reply_to(message);
	result = json_object_get(reply, "result");
	first = json_array_get(json_object_get(result, "content"), 0);
	*is_error = json_is_true(json_object_get(result, "isError"));
	text = strdup(json_string_value(json_object_get(first, "text")) ?: "no result");
	json_decref(reply);
	return text;
}

static bool runs(const char *tool, const char *arguments, const char *expected)
{
	bool is_error;
	char *text = call(tool, arguments, &is_error);
	bool is_right = strcmp(command, expected) == 0 && strcmp(text, "rows") == 0 && !is_error;

	if (!is_right)
		note("%s %s: %s, %s", tool, arguments, command, text);
	free(text);
	return is_right;
}

static bool is_refused(const char *tool, const char *arguments, const char *words)
{
	bool is_error;
	char *text = call(tool, arguments, &is_error);
	bool is_right = !*command && is_error && strstr(text, words);

	if (!is_right)
		note("%s %s: %s, %s", tool, arguments, command, text);
	free(text);
	return is_right;
}

static bool agrees_on(const char *asked, const char *expected)
{
	char message[256];
	json_t *reply, *result;
	bool is_right;

	snprintf(message, sizeof(message),
		 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
		 "{\"protocolVersion\":%s}}",
		 asked);
	reply = reply_to(message);
	result = json_object_get(reply, "result");
	is_right = strcmp(json_string_value(json_object_get(result, "protocolVersion")) ?: "",
			  expected) == 0 &&
		   json_object_get(json_object_get(result, "capabilities"), "tools");
	json_decref(reply);
	return is_right;
}

static void test_messages(void)
{
	json_t *reply;

	ok(agrees_on("\"2025-06-18\"", "2025-06-18"), "a version that is known is agreed on");
	ok(agrees_on("\"1999-01-01\"", "2025-11-25") && agrees_on("17", "2025-11-25"),
	   "another one gets the newest");
	reply = reply_to("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}");
	ok(strcmp(json_string_value(json_object_get(reply, "id")) ?: "", "x") == 0 &&
		   json_is_object(json_object_get(reply, "result")),
	   "a ping is returned, with its id");
	json_decref(reply);
	ok(!reply_to("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}") &&
		   !reply_to("{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}"),
	   "a notification has no reply");
	ok(!reply_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"), "a reply has no reply");
	ok(has_error("{\"jsonrpc\":", -32700, "invalid JSON") &&
		   has_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}", -32700, "invalid JSON") &&
		   has_error("\"\\u0000\"", -32700, "invalid JSON"),
	   "text that is not JSON is refused");
	ok(has_error("[]", -32600, "must be an object") &&
		   has_error("{\"id\":1,\"method\":\"ping\"}", -32600, "JSON-RPC 2.0") &&
		   has_error("{\"jsonrpc\":\"2.0\",\"id\":1}", -32600, "missing method") &&
		   has_error("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600,
			     "invalid id"),
	   "so is JSON that is not a request");
	ok(has_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", -32601,
		     "resources/list"),
	   "an unknown method is named");
	ok(has_error("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
		     "{\"name\":\"record\"}}",
		     -32602,
		     "unknown tool 'record' (expected report, diff, annotate, info or query)"),
	   "and an unknown tool");
}

static void test_commands(void)
{
	ok(runs("report", "{}", "dwell|report|--limit=30|--"),
	   "without arguments, rows are limited");
	ok(runs("report", "null", "dwell|report|--limit=30|--"), "arguments may be null");
	ok(runs("report",
		"{\"data\":\"-o\",\"tree\":true,\"callers\":false,\"limit\":0,\"focus\":\"--output="
		"x\"}",
		"dwell|report|--tree|--limit=0|--focus=--output=x|--|./-o"),
	   "a value does not become an option, nor does the name of a file");
	ok(runs("diff", "{\"old\":[\"a\",\"b\"],\"new\":[\"-c\"],\"by\":\"stack\"}",
		"dwell|diff|--by=stack|--limit=30|a|b|--|./-c"),
	   "recordings of two sides");
	ok(runs("annotate", "{\"function\":\"-f\",\"source_path\":[\"s\",\"t\"],\"data\":\"d\"}",
		"dwell|annotate|--source-path=s|--source-path=t|--|-f|d"),
	   "a list is an option per element");
	ok(runs("query", "{\"from\":\"u\",\"view\":\"diff\",\"old\":\"1\",\"new\":\"2\"}",
		"dwell|query|--from=u|--limit=30|--|diff|1|2"),
	   "the view of a query");
	ok(is_refused("report", "{\"output\":\"x\"}", "unknown argument 'output' of 'report'"),
	   "an unknown argument is refused");
	ok(is_refused("diff", "{\"old\":[\"a\"]}", "missing argument 'new'") &&
		   is_refused("diff", "{\"old\":[],\"new\":[\"a\"]}", "at least one"),
	   "a missing one");
	ok(is_refused("report", "{\"limit\":-1}", "'limit': must be a whole number") &&
		   is_refused("report", "{\"limit\":\"3\"}", "'limit'") &&
		   is_refused("report", "{\"tree\":1}", "'tree': must be true or false") &&
		   is_refused("report", "{\"data\":[]}", "'data': must be a string") &&
		   is_refused("annotate", "{\"function\":\"f\",\"source_path\":[1]}",
			      "'source_path': must be an array of strings"),
	   "one of another type");
	ok(is_refused("query", "{\"from\":\"u\",\"view\":\"html\"}",
		      "unknown value 'html' of 'view'"),
	   "and a value that would write a file");
}

static void test_results(void)
{
	bool is_error;
	char *text;

	printed = "broken \xff\xc3\xa4";
	text = call("info", "{}", &is_error);
	ok(is_error && strcmp(text, "broken ?\xc3\xa4") == 0,
	   "output that is not UTF-8 is replied all the same");
	free(text);
	printed = "rows";
	failure = -EAGAIN;
	text = call("info", "{}", &is_error);
	ok(is_error && strstr(text, "cannot run dwell info: "), "so is that dwell cannot be run");
	free(text);
	failure = 0;
	text = mcp_reply_too_long(17);
	ok(strstr(text, "\"code\":-32600") && strstr(text, "at most 17 bytes"),
	   "and that a message is too long");
	free(text);
}

int main(void)
{
	test_messages();
	test_commands();
	test_results();
	return tap_done();
}
