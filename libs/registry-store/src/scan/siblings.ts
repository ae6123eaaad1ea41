import { type SiblingConditions, type SiblingTests, siblingTests, type TagValues } from '@tidings/segments';
import type { Collection } from 'mongodb';
import type { DeviceDocument } from '../devices/device-document.ts';
import { Columns } from './columns.ts';
import { DeviceReader } from './read-device.ts';
import { type SiblingResults, siblingProjection } from './scan-fields.ts';

interface ApplicationReader {
  readonly application: string;
  readonly projection: Record<string, 0 | 1>;
  readonly reader: DeviceReader;
}

export class Siblings implements SiblingResults {
  readonly #devices: Collection<DeviceDocument>;
  readonly #applications: readonly ApplicationReader[];
  readonly #places = new Map<string, number>();
  readonly #conditions: number;
  #results = new Uint8Array(0);

  constructor(devices: Collection<DeviceDocument>, conditions: SiblingConditions) {
    this.#devices = devices;
    this.#conditions = conditions.conditions.length;
    const columns = new Columns();
    this.#applications = siblingTests(conditions).map((tests) => this.#readerOf(tests, columns));
  }

  #readerOf({ application, tags, tests }: SiblingTests, columns: Columns): ApplicationReader {
    const predicate = {
      tags,
      matches: (values: TagValues): boolean => {
        const place = this.#places.get(reader.hwidHash);
        if (place === undefined) return false;
        for (const { condition, meets } of tests) {
          if (!meets(values)) continue;
          const bit = place * this.#conditions + condition;
          this.#results[bit >> 3]! |= 1 << (bit & 7);
        }
        return false;
      },
    };
    const reader = new DeviceReader(columns, { predicate });
    return { application, reader, projection: siblingProjection(predicate) };
  }

  async find(documents: readonly Buffer[], asking: DeviceReader): Promise<void> {
    this.#places.clear();
    for (const each of documents) if (asking.needsSiblings(each)) this.#places.set(asking.hwidHash, this.#places.size);
    if (this.#places.size === 0) return;
    const size = Math.ceil((this.#places.size * this.#conditions) / 8);
    if (this.#results.length < size) this.#results = new Uint8Array(size);
    else this.#results.fill(0);
    for (const { application, projection, reader } of this.#applications) {
      const ids = Array.from(this.#places.keys(), (hash) => `${application}:${hash}`);
      const options = { projection, hint: '_id_', batchSize: ids.length, raw: true } as const;
      const cursor = this.#devices.find<Buffer>({ _id: { $in: ids } }, options);
      try {
        while (await cursor.hasNext()) for (const each of cursor.readBufferedDocuments()) reader.read(each);
      } finally {
        await cursor.close();
      }
    }
  }

  meets(hwidHash: string, condition: number): boolean {
    const place = this.#places.get(hwidHash);
    if (place === undefined) return false;
    const bit = place * this.#conditions + condition;
    return (this.#results[bit >> 3]! & (1 << (bit & 7))) !== 0;
  }
}
