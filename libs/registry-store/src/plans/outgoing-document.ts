import type { Lookup } from '@tidings/segments';
import type { Binary } from 'mongodb';

const DAY_MS = 86_400_000;
/** Topics of facts hold them for 7 days. */
export const LATE_MS = 8 * DAY_MS;

export interface OutgoingDocument {
  readonly _id: string;
  readonly id: number;
  readonly account: string;
  readonly accepted?: Binary | Uint8Array;
  readonly step?: Binary | Uint8Array;
  readonly acceptedAt: Date;
  readonly releasedAt?: Date;
  readonly order?: number;
  readonly lookups?: Readonly<Record<string, Lookup>>;
  readonly checkAt?: Date;
  readonly paced?: boolean;
  readonly stopped?: boolean;
  readonly expireAt: Date;
}

/** Late facts may create data of a removed message. */
export interface RemovedDocument {
  readonly _id: string;
  readonly removeAt: Date;
}

export const codeIn = (id: string): string => id.split('/')[0]!;
