/** Bytes of memory that messages are written into one after the other. */
const SLAB_BYTES = 64 * 1024;
/** Bytes of the longest tag and of the longest length. */
const HEAD_MAX = 10;
/** A text of so many UTF-16 units takes less than 128 bytes: its length is one byte. */
const SHORT = 42;
/** Bytes that the length of most nested messages takes. */
const USUAL_LENGTH_BYTES = 2;

/**
 * Writes encoded messages of protobuf, of fields that are encoded already and of single values. A message is never overwritten: a slab is freed when no message
 * in it is referenced. Tags are encoded, too.
 */
export class FieldWriter {
  #slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #from = 0;
  #at = 0;

  /** Begins a message; one that was not ended is discarded. */
  begin(): void {
    this.#at = this.#from;
  }

  /** Whole fields. */
  fields(encoded: Uint8Array): void {
    this.#reserve(encoded.length);
    this.#slab.set(encoded, this.#at);
    this.#at += encoded.length;
  }

  /** A string, or the bytes of one in UTF-8; nothing if it is empty. */
  text(tag: Uint8Array, text: string | Uint8Array): void {
    if (text.length > 0) this.element(tag, text);
  }

  /** An element of a list, which may be empty. */
  element(tag: Uint8Array, text: string | Uint8Array): void {
    this.#reserve(HEAD_MAX + (typeof text === 'string' ? 3 * text.length : text.length));
    this.#tag(tag);
    if (typeof text !== 'string') {
      this.#varint(text.length);
      this.#slab.set(text, this.#at);
      this.#at += text.length;
    } else if (text.length > SHORT) {
      this.#varint(Buffer.byteLength(text));
      this.#at += this.#slab.write(text, this.#at);
    } else {
      const start = this.#at + 1;
      const end = this.#short(text, start);
      this.#slab[this.#at] = end - start;
      this.#at = end;
    }
  }

  /** A message within this one, whose fields `write` writes. */
  nested(tag: Uint8Array, write: () => void): void {
    this.#reserve(HEAD_MAX);
    this.#tag(tag);
    // Relative to the message: it may move to another slab meanwhile.
    const head = this.#at - this.#from;
    this.#at += USUAL_LENGTH_BYTES;
    write();
    const body = this.#from + head + USUAL_LENGTH_BYTES;
    const length = this.#at - body;
    const lengthBytes = varintBytes(length);
    if (lengthBytes !== USUAL_LENGTH_BYTES) {
      this.#reserve(HEAD_MAX);
      const start = this.#from + head;
      this.#slab.copyWithin(start + lengthBytes, start + USUAL_LENGTH_BYTES, this.#at);
    }
    this.#at = this.#from + head;
    this.#varint(length);
    this.#at += length;
  }

  /** Ends the message and returns it. */
  end(): Uint8Array {
    const message = this.#slab.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return message;
  }

  /** Most short texts are ASCII, for which a loop is faster than a call of the encoder. */
  #short(text: string, start: number): number {
    const slab = this.#slab;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 128) return start + slab.write(text, start);
      slab[start + i] = unit;
    }
    return start + text.length;
  }

  #tag(tag: Uint8Array): void {
    for (let i = 0; i < tag.length; i++) this.#slab[this.#at++] = tag[i]!;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 127; rest >>>= 7) this.#slab[this.#at++] = (rest & 127) | 128;
    this.#slab[this.#at++] = rest;
  }

  /** Makes room; a message that has begun moves to the new slab. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#slab.length) return;
    const written = this.#slab.subarray(this.#from, this.#at);
    const slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (written.length + bytes)));
    slab.set(written);
    this.#slab = slab;
    this.#at = written.length;
    this.#from = 0;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 127; rest >>>= 7) bytes++;
  return bytes;
}
