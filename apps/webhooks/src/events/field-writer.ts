const SLAB_BYTES = 64 * 1024;
const HEAD_MAX = 10;
/** So many UTF-16 units take less than 128 bytes: a length of one byte. */
const SHORT = 42;
const USUAL_LENGTH_BYTES = 2;

/** Never overwrites a message: a slab is freed with its last message. */
export class FieldWriter {
  #slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #from = 0;
  #at = 0;

  begin(): void {
    this.#at = this.#from;
  }

  fields(encoded: Uint8Array): void {
    this.#reserve(encoded.length);
    this.#slab.set(encoded, this.#at);
    this.#at += encoded.length;
  }

  text(tag: Uint8Array, text: string | Uint8Array): void {
    if (text.length > 0) this.element(tag, text);
  }

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

  nested(tag: Uint8Array, write: () => void): void {
    this.#reserve(HEAD_MAX);
    this.#tag(tag);
    // Relative: the message may move to another slab meanwhile.
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

  end(): Uint8Array {
    const message = this.#slab.subarray(this.#from, this.#at);
    this.#from = this.#at;
    return message;
  }

  /** A loop is faster for ASCII than the encoder. */
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
