import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Bitmap } from '@tidings/kernel';
import { asyncApiText } from './asyncapi.ts';
import { topics } from './topics.ts';

interface Channel {
  readonly address: string;
  readonly description: string;
  readonly bindings: { readonly kafka: { readonly partitions: number; readonly topicConfiguration: object } };
}

interface Document {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly 'x-protobuf-files': Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..', '..', '..');
let text: string;
let document: Document;
beforeAll(async () => {
  text = await asyncApiText();
  document = JSON.parse(text) as Document;
});

const descriptions = (value: unknown): string[] =>
  Object.entries(value ?? {}).flatMap(([key, of]) => {
    if (typeof of === 'object') return descriptions(of);
    return key === 'description' || key === 'summary' ? [of as string] : [];
  });

function positionsIn(bytes: Buffer): number[] {
  const numbers = Array.from({ length: (bytes.length - 1) >> 1 }, (_, i) => bytes.readUInt16LE(1 + 2 * i));
  switch (bytes[0]) {
    case 0:
      return numbers;
    case 1:
      return numbers.flatMap((first, i) =>
        i % 2 === 0 ? Array.from({ length: numbers[i + 1]! - first + 1 }, (_, of) => first + of) : [],
      );
    default:
      return Array.from({ length: 65_536 }, (_, p) => p).filter((p) => bytes[1 + (p >> 3)]! & (1 << (p & 7)));
  }
}

describe('/asyncapi.json', () => {
  it('is valid AsyncAPI', async () => {
    const found = await new Parser().validate(text);
    // More tools read the older AsyncAPI version.
    const faults = found.filter(({ code }) => code !== 'asyncapi-latest-version');
    expect(faults.map(({ code, message, path }) => ({ code, message, path }))).toEqual([]);
  });

  it('has the public topics with their partitions and retention', () => {
    const { subscription, ...channels } = document.channels;
    expect(subscription).toMatchObject({ address: '{topic}', bindings: { kafka: { partitions: 8 } } });
    const found = Object.values(channels).map(({ address, bindings: { kafka } }) => [address, kafka]);
    const known = new Map(topics([]).map((topic) => [topic.name, topic]));
    expect(found.map(([address]) => address)).toEqual(
      ['devices', 'visits', 'messages', 'plans', 'outcomes', 'reports', 'conversions', 'jobs', 'dead-letters'].map(
        (name) => `tidings.${name}`,
      ),
    );
    for (const [address, kafka] of found) {
      const { partitions, retentionMs } = known.get(address as string)!;
      expect(kafka).toMatchObject({ partitions, topicConfiguration: { 'retention.ms': retentionMs } });
    }
  });

  it('refers only to documents of the reader', () => {
    expect(descriptions(document).filter((of) => /\bR-[A-Z]+\d|\(?(architecture|sending|ADR) \d/i.test(of))).toEqual(
      [],
    );
  });

  it('has proto files that compile alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-asyncapi-'));
    try {
      for (const [path, proto] of Object.entries(document['x-protobuf-files'])) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), proto);
      }
      const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
      execFileSync(process.execPath, [buf, 'build'], { cwd: folder });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['positions', [1, 5, 65_535]],
    ['runs', Array.from({ length: 500 }, (_, i) => i + 7)],
    ['bits', Array.from({ length: 30_000 }, (_, i) => 2 * i + (i % 3 === 0 ? 1 : 0))],
    ['nothing', []],
  ])('describes the encoding of sets: as %s', (_, positions) => {
    const bytes = Buffer.from(Bitmap.of(positions).encode());
    expect(bytes.length === 0 ? [] : positionsIn(bytes)).toEqual(positions);
  });
});
