import type { Lane } from '@tidings/delivery';
import { MessageAccepted, OffsetStep } from '@tidings/events';
import { chunkOf } from '@tidings/kernel';
import type { Lookup } from '@tidings/segments';
import type { Binary } from 'mongodb';
import { bytesOf } from '../../accounts/account-documents.ts';
import type { MessageIdentity } from '../plan/plans.ts';

export const OUTGOING = 'outgoing';

const DAY_MS = 86_400_000;
/** Maximum age of delivered facts: topics of facts hold them for 7 days. */
export const LATE_MS = 8 * DAY_MS;

/** The fan-out's copy of a message. */
export interface OutgoingDocument {
  /** The message's code, with the bucket of a joined recipient or of a step: of `sendIdOf`. */
  readonly _id: string;
  readonly id: number;
  readonly account: string;
  /** The content: the event `MessageAccepted`; absent for a step, which has that of its message. */
  readonly accepted?: Binary | Uint8Array;
  /** The step of a message with a local time, with its offsets. */
  readonly step?: Binary | Uint8Array;
  readonly acceptedAt: Date;
  readonly releasedAt?: Date;
  /** Place in inboxes, if it is saved to them (R-J3). */
  readonly order?: number;
  /** The chosen lookups of scans, by application. */
  readonly lookups?: Readonly<Record<string, Lookup>>;
  /** Time of the watchdog's next check; absent = nothing is open. */
  readonly checkAt?: Date;
  /** It has a send rate, and slices that are not settled. */
  readonly paced?: boolean;
  /** Time of removal, with all plans of the message. */
  readonly expireAt: Date;
}

/** The trace of a removed message: late facts may have created data that belongs to it. */
export interface RemovedDocument {
  readonly _id: string;
  /** Time at which that is removed, too. */
  readonly removeAt: Date;
}

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

/** The code of the message that a document belongs to. */
export const codeIn = (id: string): string => id.split('/')[0]!;

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
