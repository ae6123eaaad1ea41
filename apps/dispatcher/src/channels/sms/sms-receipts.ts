import { formsOfId, numberKey, type SmppReceipt } from '@tidings/channels';
import { messageChunkKey } from '@tidings/delivery';
import { ReportKind, Reports } from '@tidings/events';
import { chunkOf, type Clock, positionOf } from '@tidings/kernel';
import type { OutRecord } from '@tidings/streaming';
import { createHash } from 'node:crypto';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';

import type { AcceptedPart, ReceiptStore, SmsDevice } from './receipt-store.ts';

/** SMSCs report the end of a message within its validity, three days or less. */
export const KEPT_RECEIPTS_MS = 7 * 24 * 3_600_000;

export interface SmsPartDocument {
  readonly _id: string;
  readonly message: string;
  readonly messageId: number;
  readonly account: string;
  readonly application: string;
  readonly seq: number;
  readonly platform: number;
  readonly device?: string;
  readonly parts: number;
  readonly delivered?: boolean;
  readonly expireAt: Date;
}

export interface SmsReceiptDocument {
  readonly _id: string;
  readonly delivered: boolean;
  readonly at: Date;
  readonly expireAt: Date;
}

export interface SmsProgressDocument {
  readonly _id: string;
  readonly accepted: number;
  readonly expireAt: Date;
}

const padded = (position: number): string => String(position).padStart(5, '0');

const chunkPrefix = ({ message, bucket, application, chunk }: SmsDevice['batch']): string =>
  `${message}/${bucket}/${application}/${chunk}/`;

const deviceKey = ({ batch, position }: SmsDevice): string => chunkPrefix(batch) + padded(position);

/** Keys hold no text of providers or recipients. */
const keyOf = (bind: string, form: string, number: string): string =>
  createHash('sha256')
    .update(`${bind}\n${form}\n${numberKey(number)}`)
    .digest('base64url')
    .slice(0, 22);

const keysOf = (bind: string, id: string, number: string): string[] =>
  formsOfId(id).map((form) => keyOf(bind, form, number));

type FoundReceipt = Pick<SmsReceiptDocument, 'delivered' | 'at'>;

export interface SmsReceiptsDeps {
  readonly parts: Collection<SmsPartDocument>;
  readonly receipts: Collection<SmsReceiptDocument>;
  readonly progress: Collection<SmsProgressDocument>;
  readonly publish: (record: OutRecord) => Promise<unknown>;
  readonly clock: Clock;
}

/** A receipt may come on another bind and before the answer to its submit_sm. Each side is stored before its counterpart is looked up. */
export class SmsReceipts implements ReceiptStore {
  readonly #deps: SmsReceiptsDeps;
  #queue: Promise<void> = Promise.resolve();

  constructor(deps: SmsReceiptsDeps) {
    this.#deps = deps;
  }

  accepted(accepted: readonly AcceptedPart[]): Promise<void> {
    return this.#sequentially(() => this.#storeAccepted(accepted));
  }

  received(bind: string, received: readonly SmppReceipt[]): Promise<void> {
    return this.#sequentially(() => this.#storeReceived(bind, received));
  }

  /** Concurrent calls would report a message twice. */
  #sequentially(work: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(work, work);
    this.#queue = result;
    return result;
  }

  async #storeAccepted(accepted: readonly AcceptedPart[]): Promise<void> {
    const { parts, receipts } = this.#deps;
    const expireAt = this.#expireAt();
    const documents = new Map<string, Omit<SmsPartDocument, '_id'>>();
    const forms = new Map<string, string>();
    for (const part of accepted) {
      const keys = keysOf(part.bind, part.id, part.number);
      documents.set(keys[0]!, documentOf(part, expireAt));
      for (const key of keys) forms.set(key, keys[0]!);
    }
    const writes = [...documents].map(([_id, update]): AnyBulkWriteOperation<SmsPartDocument> => ({
      // The id of an earlier message is used again.
      replaceOne: { filter: { _id }, replacement: update, upsert: true },
    }));
    await parts.bulkWrite(writes, { ordered: false });
    const early = await receipts.find({ _id: { $in: [...forms.keys()] } }).toArray();
    if (early.length === 0) return;
    const found = early.map(({ _id, ...receipt }) => ({
      part: { _id: forms.get(_id)!, ...documents.get(forms.get(_id)!)! },
      receipt,
    }));
    await this.#apply(found);
    await receipts.deleteMany({ _id: { $in: early.map(({ _id }) => _id) } });
  }

  async #storeReceived(bind: string, received: readonly SmppReceipt[]): Promise<void> {
    const { parts, receipts, clock } = this.#deps;
    const at = new Date(clock.now());
    const expireAt = this.#expireAt();
    const keyed = received.map((receipt) => ({ receipt, keys: keysOf(bind, receipt.id, receipt.number) }));
    const writes = keyed.map(({ receipt: { delivered }, keys: [_id] }): AnyBulkWriteOperation<SmsReceiptDocument> => ({
      updateOne: { filter: { _id: _id! }, update: { $set: { delivered, at, expireAt } }, upsert: true },
    }));
    await receipts.bulkWrite(writes, { ordered: false });
    const existing = await parts.find({ _id: { $in: keyed.flatMap(({ keys }) => keys) } }).toArray();
    if (existing.length === 0) return;
    const byKey = new Map(existing.map((part) => [part._id, part]));
    const found = keyed.flatMap(({ receipt: { delivered }, keys }) => {
      // The id as spelled comes first: another notation may be another message's.
      const part = keys.map((key) => byKey.get(key)).find((each) => each !== undefined);
      return part ? [{ part, receipt: { delivered, at }, key: keys[0]! }] : [];
    });
    await this.#apply(found);
    await receipts.deleteMany({ _id: { $in: found.map(({ key }) => key) } });
  }

  async saveProgress(device: SmsDevice, accepted: number): Promise<void> {
    const update = { $set: { accepted, expireAt: this.#expireAt() } };
    await this.#deps.progress.updateOne({ _id: deviceKey(device) }, update, { upsert: true });
  }

  async progressOf(batch: SmsDevice['batch']): Promise<ReadonlyMap<number, number>> {
    const prefix = chunkPrefix(batch);
    // Positions have five digits.
    const found = await this.#deps.progress.find({ _id: { $gte: prefix, $lt: `${prefix}:` } }).toArray();
    return new Map(found.map(({ _id, accepted }) => [Number(_id.slice(prefix.length)), accepted]));
  }

  async expecting(): Promise<readonly string[]> {
    return this.#deps.parts.distinct('application', { expireAt: { $gt: new Date(this.#deps.clock.now()) } });
  }

  #expireAt(): Date {
    return new Date(this.#deps.clock.now() + KEPT_RECEIPTS_MS);
  }

  async #apply(found: readonly { readonly part: SmsPartDocument; readonly receipt: FoundReceipt }[]): Promise<void> {
    const { parts } = this.#deps;
    const arrived = found.filter(({ receipt: { delivered } }) => delivered);
    if (arrived.length === 0) return;
    const several = arrived.filter(({ part }) => part.device !== undefined);
    if (several.length > 0) {
      await parts.updateMany({ _id: { $in: several.map(({ part }) => part._id) } }, { $set: { delivered: true } });
    }
    const whole = await this.#completeAmong(several.map(({ part }) => part));
    const single = arrived.filter(({ part: { device } }) => device === undefined);
    const last = new Map(several.map((each) => [each.part.device!, each]));
    const delivered = [...single, ...[...whole].map((device) => last.get(device)!)];
    await Promise.all(delivered.map(({ part, receipt }) => this.#deps.publish(deliveryOf(part, receipt.at))));
  }

  async #completeAmong(several: readonly SmsPartDocument[]): Promise<ReadonlySet<string>> {
    const needed = new Map(several.map(({ device, parts }) => [device!, parts]));
    if (needed.size === 0) return new Set();
    const arrived = await this.#deps.parts
      .find({ device: { $in: [...needed.keys()] }, delivered: true }, { projection: { _id: 0, device: 1 } })
      .toArray();
    const counts = Map.groupBy(arrived, ({ device }) => device!);
    return new Set(
      [...needed].flatMap(([device, parts]) => ((counts.get(device)?.length ?? 0) >= parts ? [device] : [])),
    );
  }
}

function documentOf(part: AcceptedPart, expireAt: Date): Omit<SmsPartDocument, '_id'> {
  const { batch, position, parts } = part;
  const { message, messageId, account, application, chunk, platform } = batch;
  const seq = chunk * 65_536 + position;
  return {
    message,
    messageId: Number(messageId),
    account,
    application,
    seq,
    platform,
    parts,
    expireAt,
    ...(parts > 1 && { device: deviceKey(part) }),
  };
}

function deliveryOf(part: SmsPartDocument, at: Date): OutRecord {
  const { message, messageId, account, application, seq, platform } = part;
  const report = Reports.fromPartial({
    message,
    messageId: BigInt(messageId),
    account,
    application,
    chunk: chunkOf(seq),
    kind: ReportKind.REPORT_KIND_DELIVERED,
    positions: [positionOf(seq)],
    platforms: [platform],
    at: [Math.floor(at.getTime() / 1000)],
  });
  return { key: messageChunkKey(report), value: Reports.encode(report).finish() };
}
