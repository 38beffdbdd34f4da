// SPDX-License-Identifier: MIT
// bytes.js - from the text that a page carries to numbers: base64, deflate, and numbers of 7 bits a byte.

/** The bytes that a base64 text stands for. */
export function bytesOfBase64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
	const plain = atob(text);
	const bytes = new Uint8Array(plain.length);
	for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
	return bytes;
}

export async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Takes numbers off bytes, one after the other. Doubles hold what they are up to 2^53. */
export class NumberReader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	number() {
		let byte = this.bytes[this.at++];
		if (byte < 0x80) return byte;
		let value = byte & 0x7f;
		let scale = 0x80;
		do {
			if (this.at >= this.bytes.length) throw new Error("the data of this page ends too early");
			byte = this.bytes[this.at++];
			value += (byte & 0x7f) * scale;
			scale *= 0x80;
		} while (byte >= 0x80);
		return value;
	}

	/** So many numbers into an array that has room for them. */
	column(array) {
		for (let i = 0; i < array.length; i++) array[i] = this.number();
		return array;
	}

	/** The same of numbers that are given by how far each is from the one before. */
	steps(array) {
		let value = 0;
		for (let i = 0; i < array.length; i++) {
			const step = this.number();
			value += step % 2 ? -(step + 1) / 2 : step / 2;
			array[i] = value;
		}
		return array;
	}

	text(size) {
		const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + size));
		this.at += size;
		return text;
	}
}
