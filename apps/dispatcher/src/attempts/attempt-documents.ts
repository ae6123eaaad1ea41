import type { SendResult } from '@tidings/channels';
import { type Attempt, type Deferral, type Lane, type Progress, type Results, noResults } from '@tidings/delivery';
import { SliceSettled } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { Binary } from 'mongodb';

/** A record may be delivered again within this time. */
export const ATTEMPTS_KEPT_MS = 48 * 3_600_000;

/** Attempts unsettled for longer belong to removed messages (R-LM3). */
export const GIVE_UP_MS = 30 * 24 * 3_600_000;

export interface ProgressDocument {
  readonly tries: number;
  readonly firstTriedAt?: Date;
  readonly dueAt: Date;
  readonly refreshed: boolean;
  readonly outcomeUnknown?: true;
  readonly last?: {
    readonly category: string;
    readonly code: string;
    readonly name: string;
    readonly bounce?: string;
  };
  readonly devices: Binary;
}

export interface DeferralDocument {
  readonly batch: Binary;
  readonly devices: number;
  readonly progress: readonly ProgressDocument[];
  readonly heldUntil?: Date;
  readonly answersUntil?: Date;
  /** Every device is due since then, because the clock was set back. */
  readonly dueSince?: Date;
}

export interface AttemptDocument {
  readonly _id: string;
  readonly channel: string;
  readonly lane: Lane;
  readonly credential: string;
  readonly state: Attempt['state'];
  readonly owner: string;
  readonly round: number;
  readonly claimedAt: Date;
  readonly results: Binary;
  /** Counts if `round` is the number of claims: versions before 0.2.0 ignore it. */
  readonly progress?: { readonly round: number; readonly results: Binary };
  readonly deferral?: DeferralDocument;
  readonly dueAt?: Date;
  readonly resumedAt?: Date;
  readonly settledAt?: Date;
}

export const packResults = (results: Results): Binary =>
  new Binary(SliceSettled.encode({ ...results, claimedAt: undefined }).finish());

function unpackResults(bytes: Binary): Results {
  if (bytes.length() === 0) return noResults;
  const { sent, failed, deadTokens, bounced } = SliceSettled.decode(bytes.buffer);
  return { sent, failed, deadTokens, bounced };
}

const keyOf = ({ tries, firstTriedAt, dueAt, refreshed, outcomeUnknown, last }: Progress): string =>
  `${tries}/${firstTriedAt}/${dueAt}/${refreshed}/${outcomeUnknown}/${last?.category}/${last?.code}/${last?.name}/${last?.bounce}`;

const lastOf = ({ category, code, name, bounce }: SendResult): NonNullable<ProgressDocument['last']> => ({
  category,
  code,
  name,
  ...(bounce === undefined ? {} : { bounce }),
});

export function packDeferral({ batch, progress, blockedUntil, answersUntil }: Deferral): DeferralDocument {
  const groups = new Map<string, { readonly of: Progress; readonly devices: number[] }>();
  progress.forEach((each, i) => {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.devices.push(i);
    else groups.set(key, { of: each, devices: [i] });
  });
  return {
    batch: new Binary(batch),
    devices: progress.length,
    ...(blockedUntil > 0 ? { heldUntil: new Date(blockedUntil) } : {}),
    ...(answersUntil > 0 ? { answersUntil: new Date(answersUntil) } : {}),
    progress: [...groups.values()].map(
      ({ of: { tries, firstTriedAt, dueAt, refreshed, outcomeUnknown, last }, devices }) => ({
        tries,
        ...(firstTriedAt > 0 ? { firstTriedAt: new Date(firstTriedAt) } : {}),
        dueAt: new Date(dueAt),
        refreshed,
        ...(outcomeUnknown ? { outcomeUnknown } : {}),
        ...(last ? { last: lastOf(last) } : {}),
        devices: new Binary(Bitmap.of(devices).encode()),
      }),
    ),
  };
}

function unpackDeferral({
  batch,
  progress,
  heldUntil: blockedUntil,
  answersUntil,
  dueSince,
}: DeferralDocument): Deferral {
  const latest = dueSince?.getTime() ?? Infinity;
  const devices: Progress[] = [];
  for (const { tries, firstTriedAt, dueAt, refreshed, outcomeUnknown = false, last, devices: indexes } of progress) {
    const each: Progress = {
      tries,
      firstTriedAt: firstTriedAt?.getTime() ?? 0,
      refreshed,
      outcomeUnknown,
      dueAt: Math.min(dueAt.getTime(), latest),
      last: last && ({ ...last, then: { do: 'final' } } as SendResult),
    };
    for (const index of Bitmap.decode(indexes.buffer).positions()) devices[index] = each;
  }
  return {
    batch: batch.buffer,
    progress: devices,
    blockedUntil: blockedUntil?.getTime() ?? 0,
    answersUntil: answersUntil?.getTime() ?? 0,
  };
}

const resultsIn = ({ state, round, results, progress }: AttemptDocument): Binary =>
  state === 'claimed' && progress?.round === round ? progress.results : results;

export function attemptOf(document: AttemptDocument): Attempt {
  const common = { claimedAt: document.claimedAt.getTime(), results: unpackResults(resultsIn(document)) };
  const deferral = document.deferral && unpackDeferral(document.deferral);
  const claim = { owner: document.owner, round: document.round };
  switch (document.state) {
    case 'claimed':
      return { state: 'claimed', ...common, ...claim, deferral, resumedAt: document.resumedAt?.getTime() };
    case 'deferred':
      return { state: 'deferred', ...common, ...claim, deferral: deferral!, dueAt: document.dueAt!.getTime() };
    case 'settled':
      return { state: 'settled', ...common, settledAt: document.settledAt!.getTime(), deferral };
  }
}
