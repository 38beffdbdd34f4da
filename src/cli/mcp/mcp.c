/* SPDX-License-Identifier: MIT */
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwell_version.h>

#include "base/utf8.h"
#include "mcp_tools.h"

/* Versions of the protocol whose messages are those below; the newest comes first. 2025-03-26 is
 * not among them, since it has several messages in one line. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2024-11-05" };

enum code {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	UNKNOWN_METHOD = -32601,
	INVALID_PARAMS = -32602,
};

static const char instructions[] =
	"dwell records where native Linux programs spend their time. These tools read its "
	"recordings and change nothing. Begin with report, then report with tree or callers, "
	"then annotate for the lines of one function; diff compares runs. Recordings are made by "
	"`dwell record COMMAND` (samples) and `dwell calls -f SPEC COMMAND` (exact calls).";

/* Returns a JSON string; bytes that are not UTF-8 become question marks. */
static json_t *string_of(const char *text)
{
	json_t *string = json_string(text);
	char *copy;

	if (string || !(copy = strdup(text)))
		return string;
	for (char *at = copy; *at;) {
		size_t bytes = utf8_bytes(at);

		if (!bytes)
			*at = '?';
		at += bytes ? bytes : 1;
	}
	string = json_string(copy);
	free(copy);
	return string;
}

/* Takes over `part`. */
static char *write_message(const json_t *id, const char *key, json_t *part)
{
	json_t *message = json_pack("{s:s, s:O?, s:o?}", "jsonrpc", "2.0", "id", id, key, part);
	char *text;

	if (!json_object_get(message, "id"))
		json_object_set_new(message, "id", json_null());
	text = json_dumps(message, JSON_COMPACT);
	json_decref(message);
	return text;
}

static char *fail(const json_t *id, enum code code, const char *text)
{
	return write_message(id, "error",
			     json_pack("{s:i, s:o?}", "code", code, "message", string_of(text)));
}

static const char *version_for(const json_t *params)
{
	const char *wanted = json_string_value(json_object_get(params, "protocolVersion"));

	for (size_t i = 0; wanted && i < sizeof(versions) / sizeof(versions[0]); i++)
		if (strcmp(versions[i], wanted) == 0)
			return versions[i];
	return versions[0];
}

static char *initialize(const json_t *id, const json_t *params)
{
	return write_message(id, "result",
			     json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion",
				       version_for(params), "capabilities", "tools", "serverInfo",
				       "name", "dwell", "version", DWELL_VERSION, "instructions",
				       instructions));
}

static char *write_result(const json_t *id, const char *text, bool is_error)
{
	return write_message(id, "result",
			     json_pack("{s:[{s:s, s:o?}], s:b}", "content", "type", "text", "text",
				       string_of(text), "isError", is_error));
}

/* An argument that is wrong is the tool's error, not the protocol's: so the caller reads the
 * sentence, and can mend it. */
static char *call(const json_t *id, const json_t *params, mcp_run *run)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	const json_t *arguments = json_object_get(params, "arguments");
	const struct mcp_tool *tool = name ? mcp_tools_find(name) : NULL;
	struct mcp_output output = { 0 };
	struct err err = { "" };
	char names[128], **argv;
	char *reply;
	int status;

	if (!tool) {
		mcp_tools_names(names, sizeof(names));
		err_set(&err, EINVAL, "unknown tool '%s' (expected %s)", name ? name : "", names);
		return fail(id, INVALID_PARAMS, err.text);
	}
	if (arguments && !json_is_object(arguments) && !json_is_null(arguments))
		return fail(id, INVALID_PARAMS, "invalid arguments: must be an object");
	argv = mcp_tools_command(tool, arguments, &err);
	if (!argv)
		return write_result(id, err.text, true);
	status = run(argv, &output);
	if (status)
		err_set(&err, -status, "cannot run dwell %s: %s", argv[1], strerror(-status));
	reply = status ? write_result(id, err.text, true)
		       : write_result(id, output.text, output.is_error);
	free(output.text);
	mcp_tools_free(argv);
	return reply;
}

static char *dispatch(const json_t *id, const char *method, const json_t *params, mcp_run *run)
{
	struct err err;

	if (strcmp(method, "initialize") == 0)
		return initialize(id, params);
	if (strcmp(method, "ping") == 0)
		return write_message(id, "result", json_object());
	if (strcmp(method, "tools/list") == 0)
		return write_message(id, "result", json_pack("{s:o?}", "tools", mcp_tools_list()));
	if (strcmp(method, "tools/call") == 0)
		return call(id, params, run);
	err_set(&err, EINVAL, "unknown method '%s'", method);
	return fail(id, UNKNOWN_METHOD, err.text);
}

static char *reply_to(const json_t *message, mcp_run *run)
{
	const json_t *id = json_object_get(message, "id");
	const char *method = json_string_value(json_object_get(message, "method"));
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));

	if (!version || strcmp(version, "2.0") != 0)
		return fail(NULL, INVALID_REQUEST,
			    "invalid message: must be an object of JSON-RPC 2.0");
	/* Replies to requests: this server sends none. */
	if (!method && (json_object_get(message, "result") || json_object_get(message, "error")))
		return NULL;
	if (id && !json_is_string(id) && !json_is_integer(id))
		return fail(NULL, INVALID_REQUEST,
			    "invalid id: must be a string or a whole number");
	if (!method)
		return fail(id, INVALID_REQUEST, "missing method");
	return id ? dispatch(id, method, json_object_get(message, "params"), run) : NULL;
}

char *mcp_reply(const char *text, size_t length, mcp_run *run)
{
	json_error_t error;
	struct err err;
	json_t *message = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	char *reply;

	if (!message) {
		err_set(&err, EINVAL, "invalid JSON at byte %d: %s", error.position, error.text);
		return fail(NULL, PARSE_ERROR, err.text);
	}
	reply = reply_to(message, run);
	json_decref(message);
	return reply;
}

char *mcp_reply_too_long(size_t limit)
{
	struct err err;

	err_set(&err, EINVAL, "message too long: at most %zu bytes are allowed", limit);
	return fail(NULL, INVALID_REQUEST, err.text);
}
