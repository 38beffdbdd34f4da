// SPDX-License-Identifier: MIT
// mcp_client.mjs DWELL - calls tools of `dwell mcp` with the protocol's official client. Reads [[TOOL, ARGUMENTS], ...] in JSON
// from standard input, and prints the server, its tools and a result per call.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "dwell-tests", version: "1" });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp"], env: process.env }));
const results = [];
for (const [name, args] of JSON.parse(readFileSync(0, "utf8"))) {
	try {
		const result = await client.callTool({ name, arguments: args });
		results.push({ is_error: result.isError, text: result.content[0].text });
	} catch (error) {
		results.push({ code: error.code, text: error.message });
	}
}
const { tools } = await client.listTools();
console.log(JSON.stringify({ server: client.getServerVersion(), tools, results }));
await client.close();
