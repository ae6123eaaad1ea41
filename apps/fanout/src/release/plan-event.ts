import type { ChunkKey } from '@tidings/delivery';
import type { PlanEvent } from '@tidings/events';

export interface MessageIdentity {
  readonly message: string;
  readonly messageId: bigint;
  readonly account: string;
}

type EventCase = NonNullable<PlanEvent['event']>;

export const eventOf = (of: MessageIdentity, key: Omit<ChunkKey, 'chunk'>, at: Date, event: EventCase): PlanEvent => ({
  stamp: undefined,
  message: of.message,
  messageId: of.messageId,
  account: of.account,
  application: key.application,
  bucket: key.bucket,
  at,
  event,
});
