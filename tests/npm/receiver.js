// SPDX-License-Identifier: MIT
// receiver.js FOLDER [CERTIFICATE KEY] - a receiver of profiles for tests: OTLP over HTTP and gRPC, pprof as Pyroscope,
// Coroot and others take it, Parca's WriteRaw. Prints its ports. It looks at every index of a message, sums up its
// values, and keeps what it found for GET /log. POST /plan sets how the next requests are treated.
'use strict';

const fs = require('fs');
const http = require('http');
const https = require('https');
const path = require('path');
const zlib = require('zlib');
const protobuf = require('protobufjs');
const grpc = require('@grpc/grpc-js');

const [folder, certificate, key] = process.argv.slice(2);

// The numbers of Sample's fields before 1.10.
const OLD_SAMPLE = `message Sample {
  int32 stack_index = 1;
  repeated int64 values = 2;
  repeated int32 attribute_indices = 3;
  int32 link_index = 4;
  repeated fixed64 timestamps_unix_nano = 5;
}`;
const source = fs.readFileSync(path.join(folder, 'otlp.proto'), 'utf8');
const versions = {
	'1.10': protobuf.parse(source).root,
	'1.9': protobuf.parse(source.replace(/message Sample \{[^}]*\}/, OLD_SAMPLE)).root,
};
const pprofSchema = protobuf.loadSync(path.join(folder, 'pprof.proto')).lookupType('pprof.Profile');

let wire = '1.10';
let plan = [];
let log = [];

class Checker {
	constructor() {
		this.problems = [];
	}

	claim(holds, what) {
		if (!holds && this.problems.length < 20)
			this.problems.push(what);
	}

	// An index of a table that is not its element 0, which means "none".
	index(table, index, what) {
		this.claim(index > 0 && index < table.length, `${what} ${index} of ${table.length}`);
		return table[index];
	}
}

function add(counter, name, value) {
	counter[name] = (counter[name] || 0) + value;
}

function valueOf(any) {
	return any.stringValue !== undefined && any.value === 'stringValue' ? any.stringValue : Number(any.intValue);
}

function checkTables(root, dictionary, check) {
	const types = { mappingTable: 'Mapping', locationTable: 'Location', functionTable: 'Function', linkTable: 'Link',
		attributeTable: 'KeyValueAndUnit', stackTable: 'Stack' };
	check.claim(dictionary.stringTable[0] === '', 'string 0 is not empty');
	for (const [name, type] of Object.entries(types)) {
		const encoded = dictionary[name].map(element =>
			Buffer.from(root.lookupType(`otlp.${type}`).encode(element).finish()).toString('hex'));
		check.claim(encoded[0] === '', `element 0 of ${name} is not empty`);
		check.claim(new Set(encoded).size === encoded.length, `${name} has an element twice`);
	}
	for (const mapping of dictionary.mappingTable.slice(1))
		check.index(dictionary.stringTable, mapping.filenameStrindex, 'filename');
	for (const item of dictionary.functionTable.slice(1)) {
		check.index(dictionary.stringTable, item.nameStrindex, 'name');
		check.index(dictionary.stringTable, item.systemNameStrindex, 'system name');
		check.claim(item.filenameStrindex < dictionary.stringTable.length, 'source');
	}
	for (const location of dictionary.locationTable.slice(1)) {
		check.claim(location.mappingIndex < dictionary.mappingTable.length, 'mapping');
		check.claim(location.lines.length > 0, 'a location without a line');
		for (const line of location.lines)
			check.index(dictionary.functionTable, line.functionIndex, 'function');
	}
	for (const stack of dictionary.stackTable.slice(1))
		for (const location of stack.locationIndices)
			check.index(dictionary.locationTable, location, 'location');
	for (const holder of [...dictionary.mappingTable, ...dictionary.locationTable])
		for (const attribute of holder.attributeIndices)
			check.index(dictionary.attributeTable, attribute, 'attribute');
	for (const attribute of dictionary.attributeTable.slice(1)) {
		check.index(dictionary.stringTable, attribute.keyStrindex, 'key');
		check.claim(attribute.value && attribute.value.value, 'an attribute without a value');
	}
}

function attributesOf(dictionary, indices) {
	return Object.fromEntries(indices.map(index => {
		const attribute = dictionary.attributeTable[index];
		return [dictionary.stringTable[attribute.keyStrindex], valueOf(attribute.value)];
	}));
}

// Sums of a profile: all, and by function: its own, and of stacks that it is on.
function sumProfile(dictionary, profile, check) {
	const string = index => dictionary.stringTable[index];
	const type = profile.sampleType;
	const sums = { type: `${string(type.typeStrindex)}:${string(type.unitStrindex)}`, all: 0, self: {}, total: {},
		threads: {}, pids: {}, libraries: {} };
	const seen = new Set();
	for (const sample of profile.samples) {
		check.claim(sample.values.length === 1, `${sample.values.length} values`);
		check.claim(sample.linkIndex === 0, 'a link');
		const identity = `${sample.stackIndex} ${sample.attributeIndices}`;
		check.claim(!seen.has(identity), 'a sample twice');
		seen.add(identity);
		for (const attribute of sample.attributeIndices)
			check.index(dictionary.attributeTable, attribute, 'attribute');
		const attributes = attributesOf(dictionary, sample.attributeIndices);
		const stack = check.index(dictionary.stackTable, sample.stackIndex, 'stack');
		const value = Number(sample.values[0]);
		const names = stack.locationIndices.flatMap(index => dictionary.locationTable[index].lines.map(line =>
			string(dictionary.functionTable[line.functionIndex].nameStrindex)));
		const mapping = dictionary.mappingTable[dictionary.locationTable[stack.locationIndices[0]].mappingIndex];
		sums.all += value;
		add(sums.self, names[0], value);
		new Set(names).forEach(name => add(sums.total, name, value));
		add(sums.threads, `${attributes['thread.name']} ${attributes['thread.id']}`, value);
		add(sums.pids, attributes['process.pid'], value);
		add(sums.libraries, string(mapping.filenameStrindex), value);
	}
	if (profile.periodType)
		sums.period = `${string(profile.periodType.typeStrindex)}:${string(profile.periodType.unitStrindex)}` +
			`:${profile.period}`;
	sums.id = Buffer.from(profile.profileId).toString('hex');
	check.claim(profile.profileId.length === 16 && /[1-9a-f]/.test(sums.id), 'profile_id');
	sums.time = profile.timeUnixNano.toString();
	sums.duration = Number(profile.durationNano);
	return sums;
}

function readOtlp(body) {
	const root = versions[wire];
	const type = root.lookupType('otlp.ExportProfilesServiceRequest');
	const check = new Checker();
	const request = type.decode(body);
	const dictionary = request.dictionary;
	// Fields that the schema does not know would be missing here.
	check.claim(type.encode(request).finish().length === body.length, 'unknown fields');
	checkTables(root, dictionary, check);
	const resources = request.resourceProfiles.map(resource => ({
		attributes: Object.fromEntries(resource.resource.attributes.map(pair => [pair.key, valueOf(pair.value)])),
		scope: resource.scopeProfiles.map(scope => `${scope.scope.name} ${scope.scope.version}`).join(),
		profiles: resource.scopeProfiles.flatMap(scope =>
			scope.profiles.map(profile => sumProfile(dictionary, profile, check))),
	}));
	const ids = resources.flatMap(resource => resource.profiles.map(profile => profile.id));
	check.claim(new Set(ids).size === ids.length, 'a profile_id twice');
	const buildIds = dictionary.mappingTable.flatMap(mapping =>
		Object.values(attributesOf(dictionary, mapping.attributeIndices)));
	return { kind: 'otlp', problems: check.problems, resources, buildIds };
}

function readPprof(packed) {
	const check = new Checker();
	const body = zlib.gunzipSync(packed);
	const profile = pprofSchema.decode(body);
	const string = index => check.claim(index < profile.stringTable.length, 'string') || profile.stringTable[index];
	const byId = list => new Map(list.map(item => [Number(item.id), item]));
	const [locations, functions, mappings] = [profile.location, profile.function, profile.mapping].map(byId);
	check.claim(pprofSchema.encode(profile).finish().length === body.length, 'unknown fields');
	const types = profile.sampleType.map(type => `${string(type.type)}:${string(type.unit)}`);
	const sums = types.map(type => ({ type, all: 0, self: {}, total: {}, labels: {} }));
	for (const location of profile.location)
		check.claim(Number(location.mappingId) === 0 || mappings.has(Number(location.mappingId)), 'mapping');
	for (const sample of profile.sample) {
		check.claim(sample.value.length === types.length, 'values');
		const names = sample.locationId.flatMap(id => locations.get(Number(id)).line.map(line =>
			string(functions.get(Number(line.functionId)).name)));
		sample.value.forEach((number, place) => {
			const value = Number(number);
			sums[place].all += value;
			add(sums[place].self, names[0], value);
			new Set(names).forEach(name => add(sums[place].total, name, value));
			for (const label of sample.label)
				add(sums[place].labels, `${string(label.key)}=${Number(label.str) ? string(label.str) : label.num}`, value);
		});
	}
	return { kind: 'pprof', problems: check.problems, profiles: sums, time: profile.timeNanos.toString() };
}

function readParca(body) {
	const request = JSON.parse(body);
	const series = request.series[0];
	return { ...readPprof(Buffer.from(series.samples[0].rawProfile, 'base64')), kind: 'parca',
		labels: Object.fromEntries(series.labels.labels.map(label => [label.name, label.value])) };
}

// ---- gRPC: what arrives over HTTP is sent on as it is, and must be understood the same. ----

const identity = bytes => bytes;
const exportMethod = { path: '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export',
	requestStream: false, responseStream: false, requestSerialize: identity, requestDeserialize: identity,
	responseSerialize: identity, responseDeserialize: identity };
const grpcServer = new grpc.Server({ 'grpc.max_receive_message_length': 64 << 20 });
grpcServer.addService({ Export: exportMethod }, { Export: (call, done) =>
	done(null, Buffer.from(JSON.stringify(readOtlp(call.request)))) });
let grpcClient;

function overGrpc(body) {
	return new Promise((resolve, reject) => grpcClient.makeUnaryRequest(exportMethod.path, identity, identity, body,
		(error, answer) => error ? reject(error) : resolve(JSON.parse(answer))));
}

// ---- HTTP ----

async function read(request, packed) {
	const url = new URL(request.url, 'http://host');
	const entry = { path: url.pathname, query: Object.fromEntries(url.searchParams), method: request.method,
		headers: request.headers, size: packed.length };
	try {
		const body = request.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(packed) : packed;
		if (request.headers['content-type'] === 'application/x-protobuf') {
			Object.assign(entry, readOtlp(body));
			if (JSON.stringify(await overGrpc(body)) !== JSON.stringify(readOtlp(body)))
				entry.problems.push('gRPC has it otherwise');
		} else {
			Object.assign(entry, request.headers['content-type'] === 'application/json' ?
				readParca(body) : readPprof(body));
		}
	} catch (error) {
		entry.problems = [String(error.stack)];
	}
	return entry;
}

function otlpAnswer(partial) {
	const type = versions[wire].lookupType('otlp.ExportProfilesServiceResponse');
	return Buffer.from(type.encode(type.create(partial ? { partialSuccess: partial } : {})).finish());
}

async function answer(request, response, body) {
	const step = plan.shift() || {};
	const entry = await read(request, body);
	entry.step = step;
	log.push(entry);
	if (step.cut) {
		response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': 100 });
		response.write('half');
		setTimeout(() => request.socket.destroy(), 100);
		return;
	}
	await new Promise(resolve => setTimeout(resolve, step.slow_ms || 0));
	const isOtlp = entry.kind === 'otlp';
	response.writeHead(step.status || 200, step.headers || (isOtlp ? { 'content-type': 'application/x-protobuf' } : {}));
	response.end(step.body !== undefined ? step.body : isOtlp ? otlpAnswer(step.partial) : '');
}

function control(request, response, body) {
	if (request.url === '/plan') {
		({ plan, wire } = { plan: [], wire: '1.10', ...JSON.parse(body) });
		log = [];
	}
	response.end(JSON.stringify(log));
}

function handle(request, response) {
	const pieces = [];
	if ((plan[0] || {}).reset && !['/plan', '/log'].includes(request.url)) {
		log.push({ step: plan.shift(), path: request.url });
		request.socket.destroy();
		return;
	}
	request.on('data', piece => pieces.push(piece));
	request.on('end', () => (['/plan', '/log'].includes(request.url) ? control : answer)(request, response,
		Buffer.concat(pieces)));
}

const servers = [http.createServer(handle)];
if (certificate)
	servers.push(https.createServer({ cert: fs.readFileSync(certificate), key: fs.readFileSync(key) }, handle));
const listening = servers.map(server => new Promise(resolve =>
	server.listen(0, '127.0.0.1', () => resolve(server.address().port))));
grpcServer.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), async (error, port) => {
	if (error)
		throw error;
	grpcClient = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(),
		{ 'grpc.max_receive_message_length': 64 << 20 });
	console.log(JSON.stringify(await Promise.all(listening)));
});
// The test closes it.
process.stdin.on('end', () => process.exit(0)).resume();
