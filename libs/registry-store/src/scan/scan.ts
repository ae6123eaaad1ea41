import type { Circle, Expression, OffsetRange } from '@tidings/events';
import { CHUNK_SIZE, chunkOf, type Bitmap, positionOf, seqOf, seqRangeOf, TEST_CHUNK } from '@tidings/kernel';
import {
  canLookUp,
  canMatch,
  chooseLookup,
  type Comparable,
  compilePredicate,
  type DeviceLayout,
  type Lookup,
  type Predicate,
  type Sample,
  type ScanPlan,
  scanPlan,
  type Viewpoint,
} from '@tidings/segments';
import type { Collection, Db, Filter } from 'mongodb';
import { type DeviceDocument, deviceIndexes, DEVICES, tagFields } from '../devices/device-document.ts';
import { testDevicesOf } from '../configuration/test-devices.ts';
import { Columns } from './columns.ts';
import { listed, near } from './filters.ts';
import { DeviceReader } from './read-device.ts';
import { type NamedScan, namedScans } from './named-scans.ts';
import { readTestDevices } from './read-test-devices.ts';
import { Siblings } from './siblings.ts';
import { spread } from './spread.ts';
import { projectionOf, type ScanFields } from './scan-fields.ts';

/** A sample, or an application that is scanned on release, fits one batch. */
const BATCH = 4_100;
/** Choosing would cost as much as reading. */
const SMALL = 8192;
const STRETCHES = 16;
const STRETCH = 256;
const SPARSE = 8;

const indexOfField: Readonly<Partial<Record<string, string>>> = {
  tz: deviceIndexes.timezone,
  'self.open': deviceIndexes.activity,
};

export const deviceLayout: DeviceLayout = {
  seqIndex: deviceIndexes.seq,
  tagsIndex: deviceIndexes.tags,
  fields: new Map(
    [...tagFields].map(([tag, path]) => {
      const index = indexOfField[path];
      return [tag, index === undefined ? { path } : { path, index }];
    }),
  ),
};

export interface Selected {
  readonly expression: Expression | undefined;
  readonly now: Date;
  /** Within 24 hours before `now`. @default anywhere */
  readonly circle?: Circle | undefined;
  readonly withoutToken?: boolean;
  /** Keyed hash of a live activity (R-M2). */
  readonly activity?: string;
  readonly bySiblings?: boolean;
}

const viewpointOf = (application: string, { now, bySiblings }: Selected): Viewpoint => ({
  now,
  application,
  bySiblings,
});

export interface Estimate {
  /** Exact if all numbers were examined. */
  readonly devices: number;
  /** Numbers of devices in the application, deleted ones included. */
  readonly numbers: number;
  readonly examined: number;
}

export type Extras = Pick<ScanFields, 'values' | 'fields' | 'activity' | 'badge' | 'languages'>;

export class DeviceScan {
  readonly #db: Db;
  readonly #devices: Collection<DeviceDocument>;
  readonly #named: (scan: NamedScan) => Promise<void>;

  constructor(db: Db) {
    this.#db = db;
    this.#devices = db.collection<DeviceDocument>(DEVICES);
    this.#named = namedScans(this.#devices);
  }

  async lastSeq(application: string): Promise<number> {
    const last = await this.#devices.findOne(
      { app: application },
      { projection: { _id: 0, seq: 1 }, sort: { app: -1, seq: -1 }, hint: deviceIndexes.seq },
    );
    return last?.seq ?? -1;
  }

  /** Samples a bounded number of devices. @param stretch seqs per scan */
  async chooseLookup(application: string, selected: Selected, stretch = CHUNK_SIZE): Promise<Lookup> {
    const { expression } = selected;
    const viewpoint = viewpointOf(application, selected);
    if (!expression || !canLookUp(expression, viewpoint, deviceLayout)) return [];
    const total = (await this.lastSeq(application)) + 1;
    if (total <= SMALL) return [];
    const { tags } = compilePredicate(expression, viewpoint);
    const devices = await this.#sample(application, tags, total);
    return chooseLookup(expression, viewpoint, deviceLayout, { devices, total, chunks: Math.ceil(total / stretch) });
  }

  async #sample(application: string, tags: Predicate['tags'], total: number): Promise<Sample['devices']> {
    const devices: (readonly Comparable[])[][] = [];
    const predicate = {
      tags,
      matches(values: readonly (readonly Comparable[])[]): boolean {
        devices.push(values.map((each) => [...each]));
        return false;
      },
    };
    const stretches = Array.from({ length: STRETCHES }, (_, i) => {
      const from = Math.floor((i * total) / STRETCHES);
      return { app: application, seq: { $gte: from, $lt: from + STRETCH } };
    });
    await this.#read([{ $or: stretches }], deviceIndexes.seq, new Columns(), { predicate });
    return devices;
  }

  async selected(
    columns: Columns,
    { application, chunk }: { readonly application: string; readonly chunk: number },
    selection: Selected,
    lookup: Lookup,
    extras: Extras,
  ): Promise<void> {
    const { expression, now, circle, withoutToken = false, activity = '' } = selection;
    if (activity !== '') return this.#holders(columns, application, chunk, activity, extras);
    const viewpoint = viewpointOf(application, selection);
    const { filter, hint, residual } = scanPlan(expression, viewpoint, deviceLayout, lookup);
    const [from, to] = seqRangeOf(chunk);
    const selected = filter(application, from, to, {
      ...(withoutToken ? { status: 1 } : { token: { $exists: true } }),
      ...(circle && near(circle, now)),
    });
    const filters = canMatch(expression, viewpoint) ? [selected] : [];
    await this.#read(filters, hint, columns, { ...extras, predicate: residual, circle });
  }

  async #holders(columns: Columns, app: string, chunk: number, activity: string, extras: Extras): Promise<void> {
    const [$gte, $lte] = seqRangeOf(chunk);
    const filter = { app, 'activities.k': activity, seq: { $gte, $lte } };
    await this.#read([filter], deviceIndexes.activities, columns, extras);
  }

  async chunksWith(app: string, activity: string): Promise<number[]> {
    const chunks: number[] = [];
    const options = { projection: { _id: 0, seq: 1 }, sort: { seq: 1 }, hint: deviceIndexes.activities } as const;
    for (let from = 0; ; from = seqRangeOf(chunks.at(-1)!)[1] + 1) {
      const next = await this.#devices.findOne({ app, 'activities.k': activity, seq: { $gte: from } }, options);
      if (!next) return chunks;
      chunks.push(chunkOf(next.seq));
    }
  }

  async count(application: string, selected: Selected): Promise<number> {
    const viewpoint = viewpointOf(application, selected);
    if (!canMatch(selected.expression, viewpoint)) return 0;
    const [lookup, last] = await Promise.all([this.chooseLookup(application, selected), this.lastSeq(application)]);
    const { filter, hint, residual } = scanPlan(selected.expression, viewpoint, deviceLayout, lookup);
    const columns = new Columns();
    let count = 0;
    for (let chunk = 0; seqRangeOf(chunk)[0] <= last; chunk++) {
      const [from, to] = seqRangeOf(chunk);
      await this.#read([filter(application, from, to)], hint, columns, { predicate: residual });
      count += columns.count;
    }
    return count;
  }

  /**
   * Counts in evenly spread stretches of numbers until `mayContinue` says no. Applications of up to 8,192 numbers are
   * read as a whole.
   */
  async estimate(application: string, selected: Selected, mayContinue: () => boolean): Promise<Estimate> {
    const viewpoint = viewpointOf(application, selected);
    const numbers = (await this.lastSeq(application)) + 1;
    if (!canMatch(selected.expression, viewpoint)) return { devices: 0, numbers, examined: numbers };
    const lookup = await this.chooseLookup(application, selected, SMALL);
    const plan = scanPlan(selected.expression, viewpoint, deviceLayout, lookup);
    const length = lookup.length > 0 ? SMALL : STRETCH;
    const perRead = lookup.length > 0 ? 1 : STRETCHES;
    const stretches = [...spread(Math.ceil(numbers / length))].map((n) => [
      n * length,
      Math.min((n + 1) * length, numbers),
    ]);
    let matched = 0;
    let examined = 0;
    for (let i = 0; i < stretches.length && (i === 0 || numbers <= SMALL || mayContinue()); i += perRead) {
      const part = stretches.slice(i, i + perRead);
      matched += await this.#countIn(
        part.map(([from, end]) => plan.filter(application, from!, end! - 1)),
        plan,
      );
      for (const [from, end] of part) examined += end! - from!;
    }
    return { devices: Math.round((matched * numbers) / Math.max(1, examined)), numbers, examined };
  }

  async #countIn(filters: readonly Filter<DeviceDocument>[], { hint, residual }: ScanPlan): Promise<number> {
    let matched = 0;
    const predicate: Predicate = {
      tags: [],
      ...residual,
      matches(values) {
        if (!residual || residual.matches(values)) matched++;
        return false;
      },
    };
    await this.#read(filters.length === 1 ? filters : [{ $or: [...filters] }], hint, new Columns(), { predicate });
    return matched;
  }

  async numbers(
    application: string,
    [from, to]: readonly [from: number, to: number],
    selected: Selected,
    lookup: Lookup,
  ): Promise<number[]> {
    const { expression } = selected;
    const viewpoint = viewpointOf(application, selected);
    if (from >= to || !canMatch(expression, viewpoint)) return [];
    const { filter, hint, residual } = scanPlan(expression, viewpoint, deviceLayout, lookup);
    const columns = new Columns();
    await this.#read([filter(application, from, to - 1)], hint, columns, { predicate: residual });
    const chunk = chunkOf(from);
    return Array.from(columns.positions.subarray(0, columns.count).sort(), (position) => seqOf(chunk, position));
  }

  /** Concurrent calls share a query. @param seqs all of one chunk */
  async named(
    columns: Columns,
    application: string,
    seqs: readonly number[],
    extras: Extras,
    { expression, now }: Pick<Selected, 'expression' | 'now'> = { expression: undefined, now: new Date(0) },
  ): Promise<void> {
    if (seqs[0] !== undefined && chunkOf(seqs[0]) === TEST_CHUNK) {
      return this.#readTestDevices(columns, application, seqs.map(positionOf), extras);
    }
    const predicate = expression && compilePredicate(expression, { now, application });
    await this.#named({ application, seqs, columns, scanFields: { ...extras, predicate } });
  }

  /** Adds the first of two devices at one position. @returns false beyond `limit` */
  async first(
    columns: Columns,
    application: string,
    range: OffsetRange | undefined,
    selected: Selected,
    limit: number,
  ): Promise<boolean> {
    const { expression, circle } = selected;
    const predicate = expression && compilePredicate(expression, viewpointOf(application, selected));
    const filter = { app: application, ...(range && { tz: { $gte: range.from, $lte: range.to } }) };
    const hint = range ? deviceIndexes.timezone : deviceIndexes.seq;
    return (await this.#read([filter], hint, columns, { predicate, circle }, limit)) < limit;
  }

  async at(columns: Columns, application: string, chunk: number, bitmap: Bitmap, extras: Extras): Promise<void> {
    const positions = bitmap.positions();
    if (chunk === TEST_CHUNK) return this.#readTestDevices(columns, application, positions, extras);
    const [first, last] = [positions[0], positions.at(-1)];
    if (first === undefined || last === undefined) {
      await this.#read([], deviceIndexes.seq, columns, extras);
      return;
    }
    const close = last - first < positions.length * SPARSE;
    const filters = close
      ? [{ app: application, seq: { $gte: seqOf(chunk, first), $lte: seqOf(chunk, last) } }]
      : listed(
          application,
          Array.from(positions, (position) => seqOf(chunk, position)),
        );
    await this.#read(filters, deviceIndexes.seq, columns, extras);
  }

  async #readTestDevices(
    columns: Columns,
    application: string,
    positions: Iterable<number>,
    extras: Extras,
  ): Promise<void> {
    readTestDevices(columns, await testDevicesOf(this.#db, application), positions, extras);
  }

  async #read(
    filters: readonly Filter<DeviceDocument>[],
    hint: string,
    columns: Columns,
    fields: ScanFields,
    limit = 0,
  ): Promise<number> {
    const conditions = fields.predicate?.siblings;
    const siblings = conditions && new Siblings(this.#devices, conditions);
    const reader = new DeviceReader(columns, { ...fields, siblings });
    const projection = projectionOf(fields);
    let read = 0;
    for (const filter of filters) {
      const cursor = this.#devices.find<Buffer>(filter, { projection, hint, batchSize: BATCH, limit, raw: true });
      try {
        let more = await cursor.hasNext();
        while (more) {
          const documents = cursor.readBufferedDocuments();
          // Transfers the next batch while this one is read.
          const next = cursor.hasNext();
          next.catch(() => undefined);
          await siblings?.find(documents, reader);
          for (const document of documents) reader.read(document);
          read += documents.length;
          more = await next;
        }
      } finally {
        await cursor.close();
      }
    }
    return read;
  }
}
