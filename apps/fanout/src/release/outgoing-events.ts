import { idsBelow } from '@tidings/delivery';
import { MessageAccepted, type MessageEvent, OffsetStep } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import { expiryOf } from '@tidings/messaging';
import type { Update } from '@tidings/mongo';
import type { OutgoingDocument } from '@tidings/registry-store';
import type { MessageIdentity } from './plan-event.ts';
import { isRated, type Outgoing, type Released } from './outgoing-message.ts';

const FIRST_CHECK_MS = 5_000;

const identityOf = ({ code, id, account }: MessageEvent): MessageIdentity => ({
  message: code,
  messageId: id,
  account,
});

const firstCheck = (releasedAt: Date): Date => new Date(releasedAt.getTime() + FIRST_CHECK_MS);

type Write = Update<OutgoingDocument>;

export function writesOf({ code, id, account, at, event }: MessageEvent): Write[] {
  const q = { _id: code };
  const storedFieldsOf = (accepted: MessageAccepted) => ({
    id: Number(id),
    account,
    accepted: MessageAccepted.encode(accepted).finish(),
    acceptedAt: at!,
    expireAt: expiryOf(accepted, at!),
    ...(accepted.content?.inbox && { order: Number(id) }),
    ...(isRated({ accepted }) && { paced: true }),
  });
  switch (event?.$case) {
    case 'accepted':
      if (event.value.openUntil) return [];
      return [{ q, u: { $setOnInsert: storedFieldsOf(event.value) }, upsert: true }];
    case 'joined': {
      const joined = { ...storedFieldsOf(event.value.message!), releasedAt: at!, checkAt: firstCheck(at!) };
      const _id = sendIdOf({ message: code, bucket: event.value.bucket });
      return [{ q: { _id }, u: { $setOnInsert: joined }, upsert: true }];
    }
    case 'released': {
      const order = Number(event.value.inboxOrder);
      const u = { $min: { releasedAt: at! }, $set: { checkAt: firstCheck(at!) } };
      const orderWrite = { q: { ...q, order: { $exists: true } }, u: { $max: { order } } };
      // Readers of inboxes cache a released message, so its place comes first.
      return [...(order > 0 ? [orderWrite] : []), { q, u }];
    }
    case 'completed':
    case 'failed':
    case 'canceled':
      return [{ q, u: { $unset: { checkAt: true, paced: true } } }];
    case 'purged': {
      if (!event.value.whole) return [];
      const present = { expireAt: { $exists: true } };
      const u = { $min: { expireAt: at! }, $unset: { checkAt: true as const, paced: true as const } };
      return [
        { q: { ...q, ...present }, u },
        { q: { _id: idsBelow(code), ...present }, u, multi: true },
      ];
    }
    case 'stopped':
    case undefined:
      return [];
  }
}

/** After all other writes: the steps that a stop releases are stopped as well. */
export const stopWritesOf = (events: readonly MessageEvent[]): Write[] =>
  events.flatMap(({ code, event }) => {
    if (event?.$case !== 'stopped') return [];
    const paced = { paced: { $exists: true } };
    const u = { $set: { stopped: true } };
    return [
      { q: { _id: code, ...paced }, u },
      { q: { _id: idsBelow(code), ...paced }, u, multi: true },
    ];
  });

export function withReleases(writes: readonly Write[]): Write[] {
  const merged: Write[] = [];
  const last = new Map<unknown, number>();
  for (const write of writes) {
    const { _id } = write.q;
    const at = last.get(_id);
    const before = at === undefined ? undefined : merged[at];
    if (before?.u.$setOnInsert && write.u.$min?.releasedAt) merged[at!] = { ...before, u: { ...before.u, ...write.u } };
    else last.set(_id, merged.push(write) - 1);
  }
  return merged;
}

export const inboxOrderOf = (message: Pick<Outgoing, 'accepted' | 'messageId'>, released: bigint): bigint => {
  if (!message.accepted.content?.inbox) return 0n;
  return released > message.messageId ? released : message.messageId;
};

export const releasedOf = (event: MessageEvent, accepted: MessageAccepted, releasedAt: Date, order = 0n): Released => ({
  ...identityOf(event),
  bucket: event.event?.$case === 'joined' ? event.event.value.bucket : 0,
  accepted,
  inboxOrder: inboxOrderOf({ accepted, messageId: event.id }, order),
  releasedAt,
  expireAt: expiryOf(accepted, event.at!),
});

const isStep = ({ event }: MessageEvent): boolean => event?.$case === 'released' && event.value.step !== undefined;

export const separateSteps = (events: readonly MessageEvent[]) =>
  [events.filter(isStep), events.filter((event) => !isStep(event))] as const;

export function stepWrite({ code, id, account, at, event }: MessageEvent, { accepted, expireAt }: Outgoing) {
  if (event?.$case !== 'released' || !event.value.step) throw new Error(`${code}: not a step`);
  const step = OffsetStep.encode(event.value.step).finish();
  const stepFields = {
    id: Number(id),
    account,
    step,
    acceptedAt: at!,
    releasedAt: at!,
    checkAt: firstCheck(at!),
    expireAt,
  };
  const order = accepted.content?.inbox && { order: Number(event.value.inboxOrder) };
  const paced = isRated({ accepted }) && { paced: true };
  const q = { _id: sendIdOf({ message: code, bucket: event.value.step.bucket }) };
  return { q, u: { $setOnInsert: { ...stepFields, ...order, ...paced } }, upsert: true } as const;
}

export const orderIn = ({ event }: MessageEvent): bigint => (event?.$case === 'released' ? event.value.inboxOrder : 0n);

export const stepOf = (event: MessageEvent, message: Outgoing, step: OffsetStep, releasedAt: Date): Released => ({
  ...message,
  ...identityOf(event),
  bucket: step.bucket,
  step,
  releasedAt,
  inboxOrder: message.accepted.content?.inbox ? orderIn(event) : 0n,
});
