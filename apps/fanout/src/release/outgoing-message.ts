import type { Lane } from '@tidings/delivery';
import { MessageAccepted, OffsetStep } from '@tidings/events';
import { chunkOf } from '@tidings/kernel';
import { bytesOf } from '@tidings/mongo';
import type { OutgoingDocument } from '@tidings/registry-store';
import type { MessageIdentity } from './plan-event.ts';

export interface Outgoing extends MessageIdentity {
  /** 0, or the bucket of the joined recipient or of the step. */
  readonly bucket: number;
  readonly accepted: MessageAccepted;
  /** Undefined unless the message has a local time. */
  readonly step?: OffsetStep | undefined;
  /** Place in inboxes; 0 unless it is saved to them. Final with the release (R-J3). */
  readonly inboxOrder: bigint;
  /** Undefined while it is not released. */
  readonly releasedAt: Date | undefined;
  /** From then on the message counts as removed, whether or not it has been. */
  readonly expireAt: Date;
}

export type Released = Outgoing & { readonly releasedAt: Date };

export const isReleased = (message: Outgoing): message is Released => message.releasedAt !== undefined;

/** Whether the recipients of a message are named. */
export const isNamed = ({ accepted }: Pick<Outgoing, 'accepted'>): boolean =>
  accepted.audience?.target?.$case === 'named';

/** Messages to at most this number of named recipients are planned on release: a task would cost a hop. */
export const NAMED_AT_ONCE = 100;

/**
 * The chunk of a message to a few named recipients who are all in one, in each of its applications. Its split is committed with its plan, and kept
 * nowhere else: it follows from the recipients.
 */
export function onlyChunkOf({ accepted: { audience } }: Pick<Outgoing, 'accepted'>): number | undefined {
  const target = audience?.target;
  if (target?.$case !== 'named' || target.value.byApplication.length > 0) return undefined;
  if (target.value.seqs.length > NAMED_AT_ONCE) return undefined;
  const chunks = new Set(target.value.seqs.map(chunkOf));
  return chunks.size === 1 ? [...chunks][0] : undefined;
}

/** Whether the message has a send rate (R-I11). */
export const isRated = ({ accepted }: Pick<Outgoing, 'accepted'>): boolean => accepted.sendRate > 0;

/** The lane of a message. One with a send rate waits for its time, and a receipt must not wait behind it. */
export const laneOf = (message: Pick<Outgoing, 'accepted'>): Lane =>
  isNamed(message) && !isRated(message) ? 'direct' : 'broadcast';

/** @param of the content of its message, for a step; undefined if that is missing */
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
