import { isTransientAnswer, UnknownOutcome } from '@tidings/mongo';
import { type Db, type Document, Long, MongoServerError } from 'mongodb';
import type { StoredFields } from '../storable.ts';
import { getOrAdd } from '../get-or-add.ts';
import { applySelfReports, type SelfReportUpdate } from '../self-reports.ts';
import type { OwnedFields } from '../owned-fields.ts';
import type { RefusedWrite, StateWrite } from '../log-store.ts';
import { withTimeout, isDuplicateId, type WriteError } from './with-timeout.ts';
import { batchesOf } from './batches.ts';
import { DURABLE } from './commits.ts';
import { GUARD, Guards, VALIDATION_FAILED } from './guards.ts';

interface Step {
  readonly write: StateWrite;
  readonly kind: 'insert' | 'patch' | 'upsert' | 'selfReport';
  readonly selfReport: number;
  /** After a second duplicate the document is no older. */
  readonly isRetry: boolean;
}

interface SelfReportOperators {
  readonly $set?: Record<string, unknown>;
  readonly $max?: Record<string, unknown>;
  readonly $inc?: Record<string, unknown>;
  readonly $unset?: Record<string, ''>;
}

const READ_BATCH = 10_000;

export class MongoStates {
  readonly #db: Db;
  readonly #owned: OwnedFields;
  readonly #selfReportedField: string | undefined;
  readonly #guards: Guards;

  constructor(db: Db, owned: OwnedFields, selfReportedField: string | undefined) {
    this.#db = db;
    this.#owned = owned;
    this.#selfReportedField = selfReportedField;
    this.#guards = new Guards(db);
  }

  /** Reads like `findAll` of the mongo library, with time limits. */
  async find(collection: string, field: string, values: readonly string[]): Promise<readonly StoredFields[]> {
    const query = {
      filter: { [field]: { $in: values as never[] } },
      ...(this.#selfReportedField !== undefined && { projection: { [this.#selfReportedField]: 0 } }),
    };
    const command = { find: collection, ...query, batchSize: READ_BATCH };
    const answer = await withTimeout(this.#db.command(command, { promoteBuffers: true }));
    const { id, firstBatch } = answer['cursor'] as { readonly id: number | Long; readonly firstBatch: StoredFields[] };
    if (id === 0) return firstBatch;
    await withTimeout(this.#db.command({ killCursors: collection, cursors: [Long.fromValue(id)] }));
    const { filter, ...options } = query;
    return withTimeout(
      this.#db
        .collection(collection)
        .find(filter, { ...options, promoteBuffers: true })
        .toArray(),
    );
  }

  async write(writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]> {
    const refused: RefusedWrite[] = [];
    for (let steps = writes.map(firstStep); steps.length > 0;) {
      const rounds = [
        ...groupBy(
          steps,
          ({ write, kind }) => `${kind === 'insert' ? 'insert' : 'update'} ${write.address.collection}`,
        ),
      ];
      const next = await Promise.all(rounds.map((round) => this.#round(round, refused)));
      steps = next.flat();
    }
    return refused;
  }

  async #round(steps: readonly Step[], refused: RefusedWrite[]): Promise<Step[]> {
    const next = await Promise.all(
      batchesOf(steps, ({ write }) => write.bytes).map((batch) => this.#batch(batch, refused)),
    );
    return next.flat();
  }

  async #batch(batch: readonly Step[], refused: RefusedWrite[]): Promise<Step[]> {
    let errors: readonly WriteError[];
    try {
      errors = await this.#send(batch);
    } catch (error) {
      if (error instanceof UnknownOutcome) throw error;
      if (batch.length === 1) {
        refused.push({ write: batch[0]!.write, error });
        return [];
      }
      const half = Math.ceil(batch.length / 2);
      return [
        ...(await this.#batch(batch.slice(0, half), refused)),
        ...(await this.#batch(batch.slice(half), refused)),
      ];
    }
    const failed = new Map(errors.map((error) => [error.index, error]));
    return batch.flatMap((step, i) => {
      const error = failed.get(i);
      return error ? afterError(step, error, refused) : afterSuccess(step);
    });
  }

  async #send(batch: readonly Step[]): Promise<readonly WriteError[]> {
    const { collection } = batch[0]!.write.address;
    const isGuarded = await this.#guards.has(collection);
    const command =
      batch[0]!.kind === 'insert'
        ? { insert: collection, documents: batch.map(({ write }) => this.#documentOf(write)) }
        : { update: collection, updates: batch.map((step) => this.#updateOf(step, isGuarded)) };
    const answer = await withTimeout(
      this.#db.command({ ...command, ordered: false, writeConcern: DURABLE }, { ignoreUndefined: true }),
    );
    const errors = (answer['writeErrors'] ?? []) as WriteError[];
    const transient = errors.find(isTransientAnswer);
    if (transient) throw new UnknownOutcome(transient.errmsg);
    return errors;
  }

  #documentOf({ address, position, fields, selfReports }: StateWrite): Document {
    const document: Document = { _id: address.id, ...fields, rev: position };
    document['_id'] = address.id;
    if (selfReports.length > 0) document[this.#selfReportedField!] = applySelfReports({}, selfReports[0]!);
    return document;
  }

  #updateOf({ write, kind, selfReport }: Step, isGuarded: boolean): Document {
    const { address, position, fields } = write;
    const selfReports = write.selfReports[selfReport];
    if (kind === 'selfReport') return { q: { _id: address.id }, u: this.#selfReportUpdate(selfReports!) };
    const current = kind === 'patch' ? write.before : undefined;
    const { $set, $max, $inc, $unset } = selfReports ? this.#selfReportUpdate(selfReports) : {};
    const vanished = { ...this.#vanished(write), ...$unset };
    const set: Document = { ...changedIn(fields!, current), ...$set };
    const update: Document = {
      $set: set,
      ...(Object.keys(vanished).length > 0 && { $unset: vanished }),
      ...($max && { $max }),
      ...($inc && { $inc }),
    };
    const { id: _id } = address;
    if (isGuarded) set[GUARD] = position;
    if (current && isGuarded)
      return { q: { _id }, u: { ...update, $inc: { ...$inc, rev: position - revOf(current) } }, upsert: true };
    set['rev'] = position;
    // In a vanished document the unchanged fields must be written, too.
    const unchanged = current ? unchangedIn(fields!, set) : {};
    if (Object.keys(unchanged).length > 0) update['$setOnInsert'] = unchanged;
    return { q: { _id, rev: current ? current['rev'] : { $lt: position } }, u: update, upsert: true };
  }

  #vanished({ address: { collection }, fields, before, clears }: StateWrite): Record<string, ''> | undefined {
    const owned = this.#owned.of(collection);
    let vanished: Record<string, ''> | undefined;
    for (const name in before) {
      if (fields![name] !== undefined || OWN_FIELDS.has(name)) continue;
      if (clears || owned.has(name)) (vanished ??= {})[name] = '';
    }
    return vanished;
  }

  #selfReportUpdate({ clear, set, max, add }: SelfReportUpdate): SelfReportOperators {
    if (clear) return { $unset: { [this.#selfReportedField!]: '' } };
    const below = (values: ReadonlyMap<string, unknown>): Record<string, unknown> =>
      Object.fromEntries([...values].map(([path, value]) => [`${this.#selfReportedField}.${path}`, value]));
    return {
      ...(set.size > 0 && { $set: below(set) }),
      ...(max.size > 0 && { $max: below(max) }),
      ...(add.size > 0 && { $inc: below(add) }),
    };
  }
}

const revOf = ({ rev }: StoredFields): number => (typeof rev === 'number' ? rev : 0);

const OWN_FIELDS: ReadonlySet<string> = new Set(['_id', 'rev', GUARD]);

function isSame(value: unknown, current: unknown): boolean {
  if (value === current) return true;
  if (value instanceof Date) return current instanceof Date && value.getTime() === current.getTime();
  return value instanceof Uint8Array && current instanceof Uint8Array && Buffer.compare(value, current) === 0;
}

function changedIn(fields: StoredFields, current: StoredFields | undefined): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && !isSame(value, current?.[name]) && name !== '_id') changed[name] = value;
  }
  return changed;
}

function unchangedIn(fields: StoredFields, set: Document): Document {
  const rest = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && name !== '_id' && !(name in set),
  );
  return Object.fromEntries(rest);
}

function firstStep(write: StateWrite): Step {
  const kind = !write.fields ? 'selfReport' : write.before ? 'patch' : 'insert';
  return { write, kind, selfReport: 0, isRetry: false };
}

function afterSuccess({ write, selfReport }: Step): Step[] {
  return selfReport + 1 < write.selfReports.length
    ? [{ write, kind: 'selfReport', selfReport: selfReport + 1, isRetry: false }]
    : [];
}

function afterError(step: Step, error: WriteError, refused: RefusedWrite[]): Step[] {
  const { write, kind, isRetry } = step;
  const hasChanged = isDuplicateId(error) || (kind === 'patch' && error.code === VALIDATION_FAILED);
  if (!hasChanged) {
    refused.push({ write, error: new MongoServerError(error) });
    return [];
  }
  if (kind !== 'upsert' || !isRetry) return [{ ...step, kind: 'upsert', isRetry: kind === 'upsert' }];
  // Another writer applied this commit: only self-reports remain.
  return write.selfReports.length > 0 ? [{ write, kind: 'selfReport', selfReport: 0, isRetry: false }] : [];
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Iterable<T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) getOrAdd(groups, keyOf(item), () => []).push(item);
  return groups.values();
}
