import { MessageAccepted } from '@tidings/events';
import { expiryOf, type Message, nextStepAt, reachablePlatforms, type Steps } from '@tidings/messaging';
import type { Binary } from 'mongodb';

export interface MessageDocument {
  readonly id: number;
  readonly account: string;
  readonly apps: readonly string[];
  readonly createdAt: Date;
  /** The message is not shown afterwards, removed or not (R-LM3). */
  readonly expireAt: Date;
  readonly status: Message['status'];
  readonly sendAt?: Date;
  readonly stepAt?: Date;
  readonly steps?: StepsDocument;
  readonly releasedAt?: Date;
  readonly completedAt?: Date;
  readonly failedAt?: Date;
  readonly canceledAt?: Date;
  readonly purgedAt?: Date;
  readonly stoppedAt?: Date;
  readonly platforms: readonly number[];
  readonly source: string;
  readonly campaignId: number;
  readonly listed: boolean;
  readonly hidden: boolean;
  readonly accepted: Binary | Uint8Array;
  readonly activity?: string;
  readonly openUntil?: Date;
  readonly joined?: number;
}

export interface StepsDocument {
  readonly count: number;
  readonly until?: Date;
  readonly areComplete: boolean;
}

function dueOf(message: Message): Pick<MessageDocument, 'sendAt' | 'stepAt' | 'steps' | 'activity'> {
  const { accepted, steps, activity } = message;
  if (activity) return { activity };
  if (!steps) return accepted.sendAt ? { sendAt: accepted.sendAt } : {};
  const { until, ...counted } = steps;
  const stepAt = nextStepAt(message);
  return { steps: { ...counted, ...(until && { until }) }, ...(stepAt && { stepAt }) };
}

function timesOf(message: Message): Pick<MessageDocument, 'releasedAt' | 'completedAt' | 'failedAt' | 'canceledAt'> {
  switch (message.status) {
    case 'PENDING':
      return {};
    case 'PROCESSING':
      return { releasedAt: message.releasedAt };
    case 'DONE':
      return { releasedAt: message.releasedAt, completedAt: message.completedAt };
    case 'FAIL':
      return { releasedAt: message.releasedAt, failedAt: message.failedAt };
    case 'CANCELED':
      return { canceledAt: message.canceledAt };
  }
}

export function messageDocument(message: Message): Record<string, unknown> {
  const { accepted } = message;
  return {
    id: message.id,
    account: message.account,
    apps: accepted.applications,
    createdAt: message.createdAt,
    expireAt: expiryOf(accepted, message.createdAt),
    status: message.status,
    ...dueOf(message),
    ...timesOf(message),
    ...(message.purgedAt ? { purgedAt: message.purgedAt } : {}),
    ...(message.stoppedAt ? { stoppedAt: message.stoppedAt } : {}),
    platforms: reachablePlatforms(accepted),
    source: accepted.source,
    campaignId: Number(accepted.campaignId),
    listed: accepted.listedRecipients,
    hidden: accepted.hidden,
    accepted: MessageAccepted.encode(accepted).finish(),
    ...(accepted.openUntil ? { openUntil: accepted.openUntil, joined: message.joined } : {}),
  } satisfies MessageDocument;
}

const stepsOf = ({ until, ...counted }: StepsDocument): Steps => ({ ...counted, until });

export function messageOf(document: MessageDocument & { readonly _id: string }): Message {
  const bytes =
    'buffer' in document.accepted && document.accepted.buffer instanceof Uint8Array
      ? document.accepted.buffer
      : document.accepted;
  const facts = {
    code: document._id,
    id: document.id,
    account: document.account,
    createdAt: document.createdAt,
    accepted: MessageAccepted.decode(bytes as Uint8Array),
    joined: document.joined ?? 0,
    ...(document.steps && { steps: stepsOf(document.steps) }),
    ...(document.activity && { activity: document.activity }),
    ...(document.purgedAt && { purgedAt: document.purgedAt }),
    ...(document.stoppedAt && { stoppedAt: document.stoppedAt }),
  };
  switch (document.status) {
    case 'PENDING':
      return { ...facts, status: 'PENDING' };
    case 'PROCESSING':
      return { ...facts, status: 'PROCESSING', releasedAt: document.releasedAt! };
    case 'DONE':
      return { ...facts, status: 'DONE', releasedAt: document.releasedAt!, completedAt: document.completedAt! };
    case 'FAIL':
      return { ...facts, status: 'FAIL', releasedAt: document.releasedAt!, failedAt: document.failedAt! };
    case 'CANCELED':
      return { ...facts, status: 'CANCELED', canceledAt: document.canceledAt! };
  }
}
