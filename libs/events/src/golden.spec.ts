import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Golden, plain, unsetFields } from './golden-values.ts';

interface Codec {
  decode(bytes: Uint8Array): object;
  encode(value: object): { finish(): Uint8Array };
  fromPartial(value: object): object;
}

const isCodec = (value: unknown): value is Codec =>
  typeof value === 'object' && value !== null && 'decode' in value && 'encode' in value;

const isEntry = (type: string): boolean => /_\w+Entry$/.test(type);

const files = globSync(join(import.meta.dirname, 'generated/tidings/events/v1/*.ts'))
  .filter((path) => basename(path) !== 'partial_device_events.ts')
  .sort();

describe.each(files.map((path) => [basename(path, '.ts'), path]))('golden files of %s', (name, path) => {
  const golden = (): Record<string, Golden[]> => {
    const file = join(import.meta.dirname, 'golden', `${name}.json`);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Golden[]>) : {};
  };
  const codecs = async (): Promise<(readonly [string, Codec])[]> => {
    const module = (await import(path)) as Record<string, unknown>;
    return Object.entries(module).flatMap(([type, value]) =>
      isCodec(value) && !isEntry(type) ? [[type, value] as const] : [],
    );
  };

  it('exist for every type, and set each of its fields (node tools/golden-events.mjs)', async () => {
    const all = golden();
    const missing = (await codecs()).flatMap(([type, codec]) =>
      unsetFields(codec, all[type] ?? []).map((field) => `${type}.${field}`),
    );
    const without = (await codecs()).map(([type]) => type).filter((type) => (all[type] ?? []).length === 0);
    expect({ missing, without }).toEqual({ missing: [], without: [] });
  });

  it('decode to the same values as when they were written, and lose nothing when they are written again', async () => {
    const known = new Map(await codecs());
    for (const [type, all] of Object.entries(golden())) {
      const codec = known.get(type);
      expect(`${type} ${codec !== undefined}`).toBe(`${type} true`);
      for (const { bytes, value } of all) {
        const decoded = codec!.decode(Buffer.from(bytes, 'base64'));
        expect(plain(decoded)).toMatchObject(value as object);
        expect(plain(codec!.decode(codec!.encode(decoded).finish()))).toEqual(plain(decoded));
      }
    }
  });
});
