import type { Lookup } from '@tidings/segments';
import type { Binary } from 'mongodb';

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

/** The code of the message that a document belongs to. */
export const codeIn = (id: string): string => id.split('/')[0]!;
