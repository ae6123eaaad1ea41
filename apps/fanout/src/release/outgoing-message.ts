import type { Lane } from '@tidings/delivery';
import { MessageAccepted, OffsetStep } from '@tidings/events';
import { chunkOf } from '@tidings/kernel';
import { bytesOf } from '@tidings/mongo';
import type { OutgoingDocument } from '@tidings/registry-store';
import type { MessageIdentity } from './plan-event.ts';

export interface Outgoing extends MessageIdentity {
  readonly bucket: number;
  readonly accepted: MessageAccepted;
  readonly step?: OffsetStep | undefined;
  readonly inboxOrder: bigint;
  readonly releasedAt: Date | undefined;
  readonly expireAt: Date;
}

export type Released = Outgoing & { readonly releasedAt: Date };

export const isReleased = (message: Outgoing): message is Released => message.releasedAt !== undefined;

export const isNamed = ({ accepted }: Pick<Outgoing, 'accepted'>): boolean =>
  accepted.audience?.target?.$case === 'named';

/** They are planned on release, because a task would cost a hop. */
export const NAMED_AT_ONCE = 100;
/** Smaller applications are scanned on release, because a task would cost more. */
export const SCANNED_AT_ONCE = 4096;

export function onlyChunkOf({ accepted: { audience } }: Pick<Outgoing, 'accepted'>): number | undefined {
  const target = audience?.target;
  if (target?.$case !== 'named' || target.value.byApplication.length > 0) return undefined;
  if (target.value.seqs.length > NAMED_AT_ONCE) return undefined;
  const chunks = new Set(target.value.seqs.map(chunkOf));
  return chunks.size === 1 ? [...chunks][0] : undefined;
}

export const isRated = ({ accepted }: Pick<Outgoing, 'accepted'>): boolean => accepted.sendRate > 0;

/** A receipt must not wait behind a message with a send rate. */
export const laneOf = (message: Pick<Outgoing, 'accepted'>): Lane =>
  isNamed(message) && !isRated(message) ? 'direct' : 'broadcast';

export function outgoingOf(stored: OutgoingDocument, of: Outgoing | undefined): Outgoing | undefined {
  const [message, bucket] = stored._id.split('/');
  const accepted = stored.accepted ? MessageAccepted.decode(bytesOf(stored.accepted)) : of?.accepted;
  return (
    accepted && {
      message: message!,
      bucket: Number(bucket ?? 0),
      messageId: BigInt(stored.id),
      account: stored.account,
      accepted,
      ...(stored.step && { step: OffsetStep.decode(bytesOf(stored.step)) }),
      inboxOrder: BigInt(stored.order ?? 0),
      releasedAt: stored.releasedAt,
      expireAt: stored.expireAt,
    }
  );
}
