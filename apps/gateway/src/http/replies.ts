import { addAbortSignal, Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Fault } from '@tidings/kernel';
import type { Reply } from '../envelopes/reply.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export const lineOf = ({ body }: Reply): string => (body === '' ? '' : `${body}\n`);

export function bodyOf(
  response: FastifyReply,
  { status, file, stream, body, headers = {} }: Reply,
  closing: AbortSignal,
): Uint8Array | string | StreamableFile | undefined {
  const type = stream?.type ?? file?.type ?? (body === '' ? undefined : JSON_TYPE);
  response.code(status).headers({ ...(type !== undefined && { 'content-type': type }), ...headers });
  if (stream) {
    const { bytes, length } = stream;
    const readable = Readable.from(length === undefined ? bytes : exactly(bytes, length), { objectMode: false });
    return new StreamableFile(addAbortSignal(closing, readable), length === undefined ? {} : { length });
  }
  return file ? file.bytes : body === '' ? undefined : lineOf({ status, body });
}

/** A shorter reply could be taken for the whole. */
async function* exactly(bytes: AsyncIterable<Uint8Array>, length: number): AsyncIterable<Uint8Array> {
  let rest = length;
  for await (const chunk of bytes) {
    rest -= chunk.length;
    yield chunk;
  }
  if (rest !== 0) throw Fault.bug(`a reply is ${rest} bytes shorter than announced`);
}
