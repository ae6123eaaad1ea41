import { flooded } from './connection-failure.ts';
import { Flag, Frame, FRAME_MAX, HEADER_BYTES } from './frames.ts';

/** Parts of frames are valid only during the call. */
export interface FrameSink {
  onFrame(): void;
  onHeaders(id: number, flags: number, block: Buffer): void;
  onBody(id: number, flags: number, frameBytes: number, part: Buffer): void;
  onReset(id: number, code: number): void;
  onSettings(payload: Buffer): void;
  onPing(flags: number, payload: Buffer): void;
  onGoAway(lastId: number): void;
  onWindow(id: number, increment: number): void;
}

const BLOCK_PARTS_MAX = 16;
const PRIORITY_BYTES = 5;
const STREAM_BITS = 0x7fffffff;

export class FrameInput {
  readonly #sink: FrameSink;
  #rest: Buffer | undefined;
  #block: { readonly id: number; readonly flags: number; readonly parts: Buffer[] } | undefined;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  take(chunk: Buffer): void {
    const input = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    while (input.length - at >= HEADER_BYTES) {
      const length = (input[at]! << 16) | (input[at + 1]! << 8) | input[at + 2]!;
      if (length > FRAME_MAX) throw new RangeError('http2: frame too large');
      const from = at + HEADER_BYTES;
      if (from + length > input.length) break;
      this.#sink.onFrame();
      this.#frame(
        input[at + 3]!,
        input[at + 4]!,
        input.readUInt32BE(at + 5) & STREAM_BITS,
        input.subarray(from, from + length),
      );
      at = from + length;
    }
    this.#rest = at < input.length ? input.subarray(at) : undefined;
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#block && type !== Frame.Continuation) throw new RangeError('http2: header block interrupted');
    switch (type) {
      case Frame.Headers:
        this.#headers(flags, id, payload);
        break;
      case Frame.Data:
        this.#sink.onBody(id, flags, payload.length, flags & Flag.Padded ? unpadded(payload) : payload);
        break;
      case Frame.Continuation:
        this.#continuation(flags, payload);
        break;
      case Frame.PushPromise:
        throw new RangeError('http2: pushes were declined');
      default:
        this.#control(type, flags, id, payload);
        break;
    }
  }

  #control(type: number, flags: number, id: number, payload: Buffer): void {
    switch (type) {
      case Frame.RstStream:
        this.#sink.onReset(id, payload.readUInt32BE());
        break;
      case Frame.Settings:
        if ((flags & Flag.Ack) === 0) this.#sink.onSettings(payload);
        break;
      case Frame.Ping:
        this.#sink.onPing(flags, payload);
        break;
      case Frame.GoAway:
        this.#sink.onGoAway(payload.readUInt32BE() & STREAM_BITS);
        break;
      case Frame.WindowUpdate:
        this.#sink.onWindow(id, payload.readUInt32BE() & STREAM_BITS);
        break;
      default:
        // Unknown frames must be ignored.
        break;
    }
  }

  #headers(flags: number, id: number, payload: Buffer): void {
    let block = flags & Flag.Padded ? unpadded(payload) : payload;
    if (flags & Flag.Priority) block = block.subarray(PRIORITY_BYTES);
    if (flags & Flag.EndHeaders) this.#sink.onHeaders(id, flags, block);
    else this.#block = { id, flags, parts: [Buffer.from(block)] };
  }

  #continuation(flags: number, part: Buffer): void {
    const block = this.#block;
    if (!block) throw new RangeError('http2: continuation out of place');
    if (block.parts.length === BLOCK_PARTS_MAX) throw flooded('http2: header block of too many frames');
    block.parts.push(Buffer.from(part));
    if ((flags & Flag.EndHeaders) === 0) return;
    this.#block = undefined;
    this.#sink.onHeaders(block.id, block.flags, Buffer.concat(block.parts));
  }
}

function unpadded(payload: Buffer): Buffer {
  const padding = payload[0] ?? 0;
  if (padding >= payload.length) throw new RangeError('http2: more padding than frame');
  return payload.subarray(1, payload.length - padding);
}
