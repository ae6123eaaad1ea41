import { batcher } from '@tidings/coordination';
import { isTransient } from '@tidings/mongo';
import type { Collection } from 'mongodb';
import { type DeviceDocument, deviceIndexes } from '../devices/device-document.ts';
import type { Columns } from './columns.ts';
import { numberAt, sizeOf } from './bson.ts';
import { Name } from './field-names.ts';
import { DeviceReader } from './read-device.ts';
import { projectionOf, type ScanFields } from './scan-fields.ts';

export interface NamedScan {
  readonly application: string;
  readonly seqs: readonly number[];
  readonly columns: Columns;
  readonly scanFields: ScanFields;
}

/** One reply of MongoDB holds their devices. */
const SCANS_TOGETHER = 500;
const SEQS_TOGETHER = 1000;

/** A receipt to one phone would cost a query of its own. An unreadable device fails only its scans. */
export function namedScans(devices: Collection<DeviceDocument>): (scan: NamedScan) => Promise<void> {
  const readAll = async (scans: readonly NamedScan[]): Promise<readonly undefined[]> => {
    const projected = scans.map((scan) => ({ ...scan, projection: projectionOf(scan.scanFields) }));
    const queries = Map.groupBy(projected, ({ application, projection }) =>
      JSON.stringify([application, Object.keys(projection)]),
    );
    const ends = await Promise.allSettled([...queries.values()].map((together) => readTogether(devices, together)));
    // A late answer must not write into columns of a repeated scan.
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    return scans.map(() => undefined);
  };
  return batcher(readAll, {
    wholeTurn: true,
    maxItems: SCANS_TOGETHER,
    sizeOf: ({ seqs }) => seqs.length,
    maxSize: SEQS_TOGETHER,
    mayBeOneItem: (error) => !isTransient(error),
  }).submit;
}

type Projected = NamedScan & { readonly projection: Record<string, 0 | 1> };

async function readTogether(devices: Collection<DeviceDocument>, scans: readonly Projected[]): Promise<void> {
  const readers = new Map<number, DeviceReader[]>();
  for (const { seqs, columns, scanFields } of scans) {
    const reader = new DeviceReader(columns, scanFields);
    for (const seq of seqs) {
      const others = readers.get(seq);
      if (others) others.push(reader);
      else readers.set(seq, [reader]);
    }
  }
  const { application: app, projection } = scans[0]!;
  const options = { projection, hint: deviceIndexes.seq, batchSize: SEQS_TOGETHER, raw: true } as const;
  const seqs = [...readers.keys()];
  for (let i = 0; i < seqs.length; i += SEQS_TOGETHER) {
    const cursor = devices.find<Buffer>({ app, seq: { $in: seqs.slice(i, i + SEQS_TOGETHER) } }, options);
    try {
      for (let more = await cursor.hasNext(); more; more = await cursor.hasNext()) {
        for (const document of cursor.readBufferedDocuments()) {
          for (const reader of readers.get(seqIn(document)) ?? []) reader.read(document);
        }
      }
    } finally {
      await cursor.close();
    }
  }
}

function seqIn(document: Buffer): number {
  const end = document.length - 1;
  for (let p = 4; p < end;) {
    const type = document[p++]!;
    const name = document.readInt32LE(p);
    while (document[p] !== 0) p++;
    p++;
    if (name === Name.seq) return numberAt(document, p, type);
    p += sizeOf(document, p, type);
  }
  throw new Error('a device without a seq');
}
