import { EnqueuedKind } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import type { DeliveryState, PendingReport } from './delivery-state.ts';
import type { Place } from './enqueued-events.ts';
import { type ImmediateKind, immediateKinds, type ImmediateSets } from './immediate-events.ts';

/** The delivery state of a place, as stored in the collection `deliveries`. */
export interface DeliveryDocument {
  readonly account: string;
  readonly message: string;
  readonly messageId: number;
  readonly application: string;
  readonly chunk: number;
  readonly sent: Uint8Array;
  readonly delivered: Uint8Array;
  readonly opened: Uint8Array;
  /** Entries in inboxes; absent if nothing happened. */
  readonly inboxDelivered?: Uint8Array | undefined;
  readonly inboxRead?: Uint8Array | undefined;
  readonly inboxOpened?: Uint8Array | undefined;
  readonly inboxDeleted?: Uint8Array | undefined;
  /** Failures, and reports about e-mails; absent as well. */
  readonly failed?: Uint8Array | undefined;
  readonly bounced?: Uint8Array | undefined;
  readonly mailOpened?: Uint8Array | undefined;
  readonly mailUnsubscribed?: Uint8Array | undefined;
  readonly mailComplained?: Uint8Array | undefined;
  /** Pending reports, and when the first of them is due; absent if there are none. */
  readonly pending?: Uint8Array | undefined;
  readonly pendingUntil?: Date | undefined;
  readonly changedAt: Date;
}

/** The stored bytes of a decoded set: an unchanged set is not encoded again. */
const bytesOfSet = new WeakMap<Bitmap, Uint8Array>();

function encodeSet(set: Bitmap): Uint8Array {
  const known = bytesOfSet.get(set);
  if (known) return known;
  const bytes = Buffer.from(set.encode());
  bytesOfSet.set(set, bytes);
  return bytes;
}

function decodeSet(bytes: Uint8Array): Bitmap {
  const set = Bitmap.decode(bytes);
  bytesOfSet.set(set, bytes);
  return set;
}

/** Bytes of a report: position, kind, platform, time, and the milliseconds at which its wait ends. */
const PENDING_BYTES = 16;

function encodePending(pending: readonly PendingReport[]): Uint8Array {
  const bytes = Buffer.alloc(pending.length * PENDING_BYTES);
  pending.forEach(({ position, kind, platform, at, until }, i) => {
    const from = i * PENDING_BYTES;
    bytes.writeUInt16LE(position, from);
    bytes.writeUInt8(kind, from + 2);
    bytes.writeUInt8(platform, from + 3);
    bytes.writeUInt32LE(at, from + 4);
    bytes.writeDoubleLE(until, from + 8);
  });
  return bytes;
}

function decodePending(stored: Uint8Array): PendingReport[] {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  return Array.from({ length: bytes.length / PENDING_BYTES }, (_, i) => {
    const from = i * PENDING_BYTES;
    return {
      position: bytes.readUInt16LE(from),
      kind: bytes.readUInt8(from + 2),
      platform: bytes.readUInt8(from + 3),
      at: bytes.readUInt32LE(from + 4),
      until: bytes.readDoubleLE(from + 8),
    };
  });
}

const immediateFields = {
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED]: 'inboxDelivered',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_READ]: 'inboxRead',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED]: 'inboxOpened',
  [EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED]: 'inboxDeleted',
  [EnqueuedKind.ENQUEUED_KIND_FAILED]: 'failed',
  [EnqueuedKind.ENQUEUED_KIND_BOUNCED]: 'bounced',
  [EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED]: 'mailOpened',
  [EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED]: 'mailUnsubscribed',
  [EnqueuedKind.ENQUEUED_KIND_MAIL_COMPLAINED]: 'mailComplained',
} as const satisfies Readonly<Record<ImmediateKind, keyof DeliveryDocument>>;

type ImmediateField = (typeof immediateFields)[ImmediateKind];

const encodeImmediate = (sets: ImmediateSets): Partial<Record<ImmediateField, Uint8Array>> =>
  Object.fromEntries(
    immediateKinds.flatMap((kind) => (sets[kind] ? [[immediateFields[kind], encodeSet(sets[kind])]] : [])),
  );

const decodeImmediate = (document: Pick<DeliveryDocument, ImmediateField>): ImmediateSets =>
  Object.fromEntries(
    immediateKinds.flatMap((kind) => {
      const bytes = document[immediateFields[kind]];
      return bytes ? [[kind, decodeSet(bytes)]] : [];
    }),
  );

export function deliveryDocument(place: Place, delivery: DeliveryState, changedAt: Date): DeliveryDocument {
  const until = delivery.pending.reduce((first, report) => Math.min(first, report.until), Infinity);
  return {
    account: place.account,
    message: place.message,
    messageId: Number(place.messageId),
    application: place.application,
    chunk: place.chunk,
    sent: encodeSet(delivery.sent),
    delivered: encodeSet(delivery.delivered),
    opened: encodeSet(delivery.opened),
    ...encodeImmediate(delivery.immediate),
    ...(delivery.pending.length > 0 ? { pending: encodePending(delivery.pending), pendingUntil: new Date(until) } : {}),
    changedAt,
  };
}

export const placeOf = (document: Pick<DeliveryDocument, keyof Place>): Place => ({
  account: document.account,
  message: document.message,
  messageId: BigInt(document.messageId),
  application: document.application,
  chunk: document.chunk,
});

export const deliveryOf = ({ sent, delivered, opened, pending, ...immediate }: DeliveryDocument): DeliveryState => ({
  sent: decodeSet(sent),
  delivered: decodeSet(delivered),
  opened: decodeSet(opened),
  immediate: decodeImmediate(immediate),
  pending: pending ? decodePending(pending) : [],
});
