// SPDX-License-Identifier: MIT
// bytes.js - decodes the text in a page to numbers: base64, deflate, and numbers of 7 bits per byte.

/** Returns the bytes of a base64 text. */
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

/** Reads numbers from bytes, one after the other. Doubles are exact up to 2^53. */
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

	/** Fills an array with numbers. */
	column(array) {
		for (let i = 0; i < array.length; i++) array[i] = this.number();
		return array;
	}

	/** Fills an array with numbers that are stored as differences. */
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
