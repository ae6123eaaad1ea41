import { isHardBounce } from '@tidings/channels';
import { type EventsEnqueued, EnqueuedKind, EventDetails } from '@tidings/events';
import { hash } from 'node:crypto';

type Reported = Pick<EventsEnqueued, 'kind' | 'entry' | 'details'>;

const payloads: Readonly<Partial<Record<EnqueuedKind, (details: EventDetails) => object>>> = {
  [EnqueuedKind.ENQUEUED_KIND_FAILED]: ({ category, code, name }) => ({ category, code, name }),
  // The reply itself may name a person.
  [EnqueuedKind.ENQUEUED_KIND_BOUNCED]: ({ category, code, name: text }) => ({
    type: isHardBounce(category) ? 'hard' : 'soft',
    category,
    code,
    text,
  }),
  [EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED]: () => ({ machine: false }),
  [EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED]: ({ text: url }) => ({ url }),
  [EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED]: ({ category }) => (category === '' ? {} : { category }),
};

const inboxKinds: ReadonlySet<EnqueuedKind> = new Set([
  EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED,
  EnqueuedKind.ENQUEUED_KIND_INBOX_READ,
  EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED,
  EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED,
]);

const noDetails = EventDetails.fromPartial({});

export function reportPayload({ kind, entry, details = noDetails }: Reported): string {
  const inbox = entry && inboxKinds.has(kind) ? { inbox_code: String(entry.order) } : {};
  return JSON.stringify(payloads[kind]?.(details) ?? inbox);
}

/** Only clicks repeat (R-EV4). */
export function occurrenceOf({ kind, details }: Reported, at: number): number {
  if (kind !== EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED) return 1;
  return hash('sha256', `${at}\n${details?.text ?? ''}`, 'buffer').readUIntBE(0, 6);
}
