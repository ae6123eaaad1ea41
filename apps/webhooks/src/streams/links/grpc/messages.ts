import { gunzipSync, inflateSync } from 'node:zlib';

const PREFIX_BYTES = 5;
export const ENCODINGS = 'identity,deflate,gzip';

const none = Buffer.alloc(0);

export function framed(messages: readonly Uint8Array[]): Buffer {
  let length = PREFIX_BYTES * messages.length;
  for (const message of messages) length += message.length;
  const piece = Buffer.allocUnsafe(length);
  let at = 0;
  for (const message of messages) {
    piece[at] = 0;
    piece.writeUInt32BE(message.length, at + 1);
    piece.set(message, at + PREFIX_BYTES);
    at += PREFIX_BYTES + message.length;
  }
  return piece;
}

export class MessageReader {
  readonly #maxBytes: number;
  #rest: Buffer = none;
  encoding = 'identity';

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(piece: Buffer): Buffer[] {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const messages: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > this.#maxBytes) throw new Error(`a message of ${length} bytes is too large`);
      const end = at + PREFIX_BYTES + length;
      if (end > bytes.length) break;
      const message = bytes.subarray(at + PREFIX_BYTES, end);
      messages.push(bytes[at] === 0 ? message : this.#decompressed(message));
      at = end;
    }
    this.#rest = at === bytes.length ? none : bytes.subarray(at);
    return messages;
  }

  #decompressed(message: Buffer): Buffer {
    const limit = { maxOutputLength: this.#maxBytes };
    switch (this.encoding) {
      case 'gzip':
        return gunzipSync(message, limit);
      case 'deflate':
        return inflateSync(message, limit);
      default:
        throw new Error('a message is compressed in an unknown way');
    }
  }
}
