import { EnqueuedKind, EventDetails } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import type { DeliveryState, SentEntry } from './delivery-state.ts';
import { isDetailed, PENDING_BYTES, type PendingReport } from './early-reports.ts';
import { type DeliveryUnit, type SingleKind, singleKinds, type SingleSets } from './enqueued-events.ts';

const DAY_MS = 86_400_000;

export const KEPT_MS = 30 * DAY_MS;

export interface EntryDocument {
  readonly order: number;
  readonly removal: number;
  readonly devices: Uint8Array;
}

export interface DeliveryDocument {
  readonly account: string;
  readonly message: string;
  readonly messageId: number;
  readonly application: string;
  readonly chunk: number;
  readonly sent: Uint8Array;
  readonly delivered: Uint8Array;
  readonly opened: Uint8Array;
  readonly inboxDelivered?: Uint8Array | undefined;
  readonly inboxRead?: Uint8Array | undefined;
  readonly inboxOpened?: Uint8Array | undefined;
  readonly inboxDeleted?: Uint8Array | undefined;
  readonly failed?: Uint8Array | undefined;
  readonly bounced?: Uint8Array | undefined;
  readonly mailOpened?: Uint8Array | undefined;
  readonly mailUnsubscribed?: Uint8Array | undefined;
  readonly mailComplained?: Uint8Array | undefined;
  readonly entries?: readonly EntryDocument[] | undefined;
  readonly pending?: Uint8Array | undefined;
  readonly pendingUntil?: Date | undefined;
  readonly changedAt: Date;
}

const bytesOfSet = new WeakMap<Bitmap, Uint8Array>();

function encodeSet(set: Bitmap): Uint8Array {
  const cached = bytesOfSet.get(set);
  if (cached) return cached;
  const bytes = Buffer.from(set.encode());
  bytesOfSet.set(set, bytes);
  return bytes;
}

function decodeSet(bytes: Uint8Array): Bitmap {
  const set = Bitmap.decode(bytes);
  bytesOfSet.set(set, bytes);
  return set;
}

/** Position, kind, platform, time, end of the wait in ms, details after their length. */
function encodePending(pending: readonly PendingReport[]): Uint8Array {
  return Buffer.concat(
    pending.flatMap((report) => {
      const { position, kind, platform, at, until } = report;
      const details = isDetailed(report) && report.details ? EventDetails.encode(report.details).finish() : NO_DETAILS;
      const bytes = Buffer.alloc(PENDING_BYTES);
      bytes.writeUInt16LE(position, 0);
      bytes.writeUInt8(kind, 2);
      bytes.writeUInt8(platform, 3);
      bytes.writeUInt32LE(at, 4);
      bytes.writeDoubleLE(until, 8);
      bytes.writeUInt32LE(details.length, 16);
      return [bytes, details];
    }),
  );
}

const NO_DETAILS = new Uint8Array();

function decodePending(stored: Uint8Array): PendingReport[] {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const pending: PendingReport[] = [];
  for (let from = 0; from < bytes.length;) {
    const details = from + PENDING_BYTES;
    const end = details + bytes.readUInt32LE(from + 16);
    pending.push({
      position: bytes.readUInt16LE(from),
      kind: bytes.readUInt8(from + 2),
      platform: bytes.readUInt8(from + 3),
      at: bytes.readUInt32LE(from + 4),
      until: bytes.readDoubleLE(from + 8),
      ...(end > details && { details: EventDetails.decode(bytes.subarray(details, end)) }),
    });
    from = end;
  }
  return pending;
}

const singleFields = {
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED]: 'inboxDelivered',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_READ]: 'inboxRead',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED]: 'inboxOpened',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED]: 'inboxDeleted',
  [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'failed',
  [EnqueuedKind.ENQUEUED_KIND_BOUNCED]: 'bounced',
  [EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED]: 'mailOpened',
  [EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED]: 'mailUnsubscribed',
  [EnqueuedKind.ENQUEUED_KIND_MAIL_COMPLAINED]: 'mailComplained',
} as const satisfies Readonly<Record<SingleKind, keyof DeliveryDocument>>;

type SingleField = (typeof singleFields)[SingleKind];

const encodeSingle = (sets: SingleSets): Partial<Record<SingleField, Uint8Array>> =>
  Object.fromEntries(singleKinds.flatMap((kind) => (sets[kind] ? [[singleFields[kind], encodeSet(sets[kind])]] : [])));

const decodeSingle = (document: Pick<DeliveryDocument, SingleField>): SingleSets =>
  Object.fromEntries(
    singleKinds.flatMap((kind) => {
      const bytes = document[singleFields[kind]];
      return bytes ? [[kind, decodeSet(bytes)]] : [];
    }),
  );

const encodeEntry = ({ entry: { order, removal }, devices }: SentEntry): EntryDocument => ({
  order: Number(order),
  removal: Number(removal),
  devices: encodeSet(devices),
});

const decodeEntry = ({ order, removal, devices }: EntryDocument): SentEntry => ({
  entry: { order: BigInt(order), removal: BigInt(removal) },
  devices: decodeSet(devices),
});

export function deliveryDocument(unit: DeliveryUnit, delivery: DeliveryState, changedAt: Date): DeliveryDocument {
  const until = delivery.pending.reduce((first, report) => Math.min(first, report.until), Infinity);
  return {
    account: unit.account,
    message: unit.message,
    messageId: Number(unit.messageId),
    application: unit.application,
    chunk: unit.chunk,
    sent: encodeSet(delivery.sent),
    delivered: encodeSet(delivery.delivered),
    opened: encodeSet(delivery.opened),
    ...encodeSingle(delivery.single),
    ...(delivery.entries.length > 0 && { entries: delivery.entries.map(encodeEntry) }),
    ...(delivery.pending.length > 0 ? { pending: encodePending(delivery.pending), pendingUntil: new Date(until) } : {}),
    changedAt,
  };
}

export const unitOfDocument = (document: Pick<DeliveryDocument, keyof DeliveryUnit>): DeliveryUnit => ({
  account: document.account,
  message: document.message,
  messageId: BigInt(document.messageId),
  application: document.application,
  chunk: document.chunk,
});

export const deliveryOf = ({
  sent,
  delivered,
  opened,
  pending,
  entries = [],
  ...single
}: DeliveryDocument): DeliveryState => ({
  sent: decodeSet(sent),
  delivered: decodeSet(delivered),
  opened: decodeSet(opened),
  single: decodeSingle(single),
  entries: entries.map(decodeEntry),
  pending: pending ? decodePending(pending) : [],
});
