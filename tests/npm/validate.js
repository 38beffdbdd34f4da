// SPDX-License-Identifier: MIT
// validate.js SCHEMA FILE... - validates JSON files against a JSON schema, and prints a line for each violation.
'use strict';

const fs = require('fs');
const Ajv = require('ajv');

const [schema, ...files] = process.argv.slice(2);
const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(fs.readFileSync(schema, 'utf8')));

for (const file of files) {
	if (validate(JSON.parse(fs.readFileSync(file, 'utf8'))))
		continue;
	for (const error of validate.errors)
		console.log(`${file}: ${error.instancePath} ${error.message}`);
	process.exitCode = 1;
}
