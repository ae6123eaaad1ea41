import type { ChunkKey } from '@tidings/delivery';
import type { MessageAccepted } from '@tidings/events';
import { TEST_CHUNK } from '@tidings/kernel';
import type { Extras, SuppressionQuery } from '@tidings/registry-store';
import type { Released } from '../release/outgoing-message.ts';

export interface ChunkWork {
  readonly key: ChunkKey;
  readonly message: Released;
  readonly extras: Extras;
  readonly isOnly: boolean;
}

/** No cap, control group or inbox applies to test devices (R-L2). */
export const acceptedIn = ({ chunk }: ChunkKey, accepted: MessageAccepted): MessageAccepted =>
  chunk === TEST_CHUNK
    ? {
        ...accepted,
        transactional: true,
        capped: false,
        content: accepted.content && { ...accepted.content, inbox: undefined },
      }
    : accepted;

export function suppressionQueryOf({ key, message }: ChunkWork): SuppressionQuery {
  const { transactional, content } = acceptedIn(key, message.accepted);
  return { ...key, account: message.account, transactional, category: content?.email?.category };
}
