// SPDX-License-Identifier: MIT
//
// fleet_current.js NODE_MODULES FOLDER - a current ClickHouse, npm's chdb, behind the part of ClickHouse's HTTP interface
// that dwell speaks, on the loopback interface. Prints its port, and ends with its standard input.
'use strict';

const fs = require('fs');
const http = require('http');
const path = require('path');

const [modules, folder] = process.argv.slice(2);
const { Session } = require(path.join(path.resolve(modules), 'chdb'));

// The bytes before the rows of an INSERT: see src/fleet/server.c.
const FRAME = 25;

const session = new Session(path.join(folder, 'data'));

// Returns the rows of an INSERT, which come in one frame; a part of it is refused.
function unframe(body) {
	const size = body.readUInt32LE(FRAME - 4);

	if (body.length !== FRAME + size)
		throw new Error(`Code: 33. DB::Exception: Cannot read all data: ${body.length} bytes of ${FRAME + size}`);
	return body.subarray(FRAME);
}

// Runs an INSERT, whose rows the engine reads from a file.
function insert(statement, body) {
	const file = path.join(folder, 'rows.bin');

	fs.writeFileSync(file, unframe(body));
	session.query(statement.replace(/ FORMAT RowBinary$/, ` SELECT * FROM file('${file}', 'RowBinary')`));
	return Buffer.alloc(0);
}

async function select(statement) {
	if (!/ FORMAT RowBinary$/.test(statement)) {
		session.query(statement);
		return Buffer.alloc(0);
	}
	const result = await session.queryAsync(statement.replace(/ FORMAT RowBinary$/, ''), { format: 'RowBinary' });

	return Buffer.from(result.bytes());
}

async function answer(request, body) {
	const query = new URL(request.url, 'http://localhost').searchParams;

	if (query.has('database'))
		session.query(`USE ${query.get('database')}`);
	return query.has('query') ? insert(query.get('query'), body) : select(body.toString());
}

// One request at a time: USE is of the whole session.
let turn = Promise.resolve();

function handle(request, response) {
	const parts = [];

	request.on('data', (part) => parts.push(part));
	request.on('end', () => {
		turn = turn.then(() => answer(request, Buffer.concat(parts))).then(
			(bytes) => response.end(bytes),
			(error) => {
				response.statusCode = 500;
				response.end(String(error.message).replace(/^.*?(?=Code: )/s, ''));
			});
	});
}

const server = http.createServer(handle).listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
