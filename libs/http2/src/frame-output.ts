import type { Socket } from 'node:net';
import { flooded } from './connection-failure.ts';
import type { Exchange } from './http2-port.ts';
import { Flag, Frame, FRAME_MAX, HEADER_BYTES } from './frames.ts';

const SLAB_BYTES = 65_536;
const FLUSH_BYTES = 32_768;
const UNREAD_MAX = 1_000;

export class FrameOutput {
  readonly #socket: Socket;
  /** The socket may hold parts of it, so they are never overwritten. */
  #slab: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #at = 0;
  #flushedAt = 0;
  #flushing = false;
  #lastStream = 0;
  #unread = 0;
  #first: Exchange | undefined;
  flushedStream = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  text(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#slab.write(text, this.#at, 'latin1');
    this.#flushSoon();
  }

  frame(type: number, flags: number, id: number, payload: Uint8Array): void {
    this.#reserve(HEADER_BYTES + payload.length);
    this.#header(this.#at, payload.length, type, flags, id);
    this.#slab.set(payload, this.#at + HEADER_BYTES);
    this.#at += HEADER_BYTES + payload.length;
    this.#flushSoon();
  }

  acknowledge(type: number, payload: Uint8Array): void {
    if (this.#socket.writableLength === 0) this.#unread = 0;
    else if (++this.#unread > UNREAD_MAX) throw flooded('the provider does not read acknowledgements');
    this.frame(type, Flag.Ack, 0, payload);
  }

  body(exchange: Exchange, flags: number, id: number, part: Uint8Array): void {
    this.frame(Frame.Data, flags, id, part);
    this.#first ??= exchange;
  }

  number(type: number, id: number, value: number): void {
    this.#reserve(HEADER_BYTES + 4);
    this.#header(this.#at, 4, type, 0, id);
    this.#slab.writeUInt32BE(value, this.#at + HEADER_BYTES);
    this.#at += HEADER_BYTES + 4;
    this.#flushSoon();
  }

  begin(exchange: Exchange, id: number, bound: number, write: (target: Buffer, at: number) => number): void {
    this.#reserve(HEADER_BYTES + bound);
    const from = this.#at;
    const end = write(this.#slab, from + HEADER_BYTES);
    if (end - from - HEADER_BYTES > FRAME_MAX) throw new RangeError('http2: headers too large');
    this.#header(from, end - from - HEADER_BYTES, Frame.Headers, Flag.EndHeaders, id);
    this.#at = end;
    this.#lastStream = id;
    this.#first ??= exchange;
    this.#flushSoon();
  }

  flush(): void {
    if (this.#at === this.#flushedAt || this.#socket.destroyed) return;
    if (this.#first?.mayFlush() === false) {
      this.#socket.destroy();
      return;
    }
    this.#first = undefined;
    const bytes = this.#slab.subarray(this.#flushedAt, this.#at);
    this.#flushedAt = this.#at;
    this.flushedStream = this.#lastStream;
    this.#socket.write(bytes);
  }

  #header(at: number, length: number, type: number, flags: number, id: number): void {
    const slab = this.#slab;
    slab[at] = length >>> 16;
    slab[at + 1] = length >>> 8;
    slab[at + 2] = length;
    slab[at + 3] = type;
    slab[at + 4] = flags;
    slab.writeUInt32BE(id, at + 5);
  }

  #reserve(bytes: number): void {
    if (this.#at - this.#flushedAt > FLUSH_BYTES) this.flush();
    if (this.#at + bytes <= this.#slab.length) return;
    this.flush();
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
    this.#at = 0;
    this.#flushedAt = 0;
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.flush();
    });
  }
}
