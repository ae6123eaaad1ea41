import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Ids are hexadecimal. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Its parent and its links. */
  readonly causes: readonly string[];
}

export interface Collector {
  readonly endpoint: string;
  spans(): readonly CollectedSpan[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') spans.push(...spansIn(Buffer.concat(chunks)));
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** In whatever trace. */
export function followersOf<S extends Pick<CollectedSpan, 'spanId' | 'causes'>>(of: S, all: readonly S[]): S[] {
  const seen = new Set([of.spanId]);
  const found = [of];
  for (let grown = true; grown;) {
    grown = false;
    for (const span of all) {
      if (seen.has(span.spanId) || !span.causes.some((cause) => seen.has(cause))) continue;
      seen.add(span.spanId);
      found.push(span);
      grown = true;
    }
  }
  return found;
}

type Fields = ReadonlyMap<number, readonly Uint8Array[]>;

function fieldsOf(message: Uint8Array): Fields {
  const reader = new BinaryReader(message);
  const fields = new Map<number, Uint8Array[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type !== WireType.LengthDelimited) reader.skip(type, number);
    else fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
  }
  return fields;
}

const messagesIn = (fields: Fields, number: number): Fields[] => (fields.get(number) ?? []).map(fieldsOf);
const hex = (fields: Fields, number: number): string => Buffer.from(fields.get(number)?.[0] ?? []).toString('hex');
const text = (fields: Fields, number: number): string => Buffer.from(fields.get(number)?.[0] ?? []).toString();

function spansIn(request: Uint8Array): CollectedSpan[] {
  return messagesIn(fieldsOf(request), 1).flatMap((ofResource) => {
    const attributes = messagesIn(ofResource, 1).flatMap((resource) => messagesIn(resource, 1));
    const name = attributes.find((attribute) => text(attribute, 1) === 'service.name');
    const service = name ? text(messagesIn(name, 2)[0]!, 1) : '';
    const spans = messagesIn(ofResource, 2).flatMap((ofScope) => messagesIn(ofScope, 2));
    return spans.map((span) => ({
      service,
      name: text(span, 5),
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      causes: [hex(span, 4), ...messagesIn(span, 13).map((link) => hex(link, 2))].filter((id) => id !== ''),
    }));
  });
}
