import type { SendResult } from '@tidings/channels';
import type { BouncedSet, DeadToken, FailedSet, SentSet, SliceOutcome, SliceSettled } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import type { SliceIdentity } from './protocol/slices.ts';

export interface DeviceResult {
  readonly position: number;
  readonly platform: number;
  readonly hour: number;
  readonly displayable: boolean;
  readonly result: SendResult;
  readonly deadToken: string | undefined;
  readonly since: number | undefined;
  readonly replacement?: string | undefined;
}

export type Results = Omit<SliceSettled, 'claimedAt'>;

export const noResults: Results = { sent: [], failed: [], deadTokens: [], bounced: [] };

interface Group {
  readonly result: DeviceResult;
  readonly positions: number[];
  readonly notDisplayable: number[];
}

const keyOf = ({ platform, hour, result }: DeviceResult): string =>
  `${platform}/${hour}/${result.category}/${result.code}/${result.name}/${result.bounce ?? ''}`;

const encode = (positions: readonly number[]): Buffer => Buffer.from(Bitmap.of(positions).encode());
const union = (a: Uint8Array, b: Uint8Array): Buffer => Buffer.from(Bitmap.decode(a).union(Bitmap.decode(b)).encode());

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

const bySent = (a: SentSet, b: SentSet): number => compare(a.platform, b.platform) || compare(a.hour, b.hour);
const byFailed = (a: FailedSet | BouncedSet, b: FailedSet | BouncedSet): number =>
  compare(a.platform, b.platform) ||
  compare(a.hour, b.hour) ||
  compare(a.category, b.category) ||
  compare(a.code, b.code) ||
  compare(a.name, b.name);

export function resultsOf(devices: Iterable<DeviceResult>): Results {
  const groups = new Map<string, Group>();
  const deadTokens: DeadToken[] = [];
  for (const result of devices) {
    const key = keyOf(result);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { result, positions: [], notDisplayable: [] }));
    group.positions.push(result.position);
    if (!result.displayable) group.notDisplayable.push(result.position);
    if (result.deadToken !== undefined) {
      const since = result.since === undefined ? undefined : new Date(result.since);
      const { position, deadToken: token, replacement = '' } = result;
      deadTokens.push({ position, token, since, replacement });
    }
  }
  const sent: SentSet[] = [];
  const failed: FailedSet[] = [];
  const bounced: BouncedSet[] = [];
  for (const { result, positions, notDisplayable } of groups.values()) {
    const { platform, hour } = result;
    const { category, code, name, bounce } = result.result;
    const set = encode(positions);
    if (category === 'SENT') sent.push({ platform, hour, set, notDisplayable: encode(notDisplayable) });
    else failed.push({ category, code, name, platform, hour, set });
    if (bounce !== undefined) bounced.push({ category: bounce, code, name, platform, hour, set });
  }
  return merged(noResults, { sent, failed, deadTokens, bounced });
}

function mergeBy<T>(entries: readonly T[], order: (a: T, b: T) => number, join: (a: T, b: T) => T): T[] {
  const joined: T[] = [];
  for (const entry of entries.toSorted(order)) {
    const last = joined.at(-1);
    if (last !== undefined && order(last, entry) === 0) joined[joined.length - 1] = join(last, entry);
    else joined.push(entry);
  }
  return joined;
}

export function merged(a: Results, b: Results): Results {
  return {
    sent: mergeBy([...a.sent, ...b.sent], bySent, (x, y) => ({
      ...x,
      set: union(x.set, y.set),
      notDisplayable: union(x.notDisplayable, y.notDisplayable),
    })),
    failed: mergeBy([...a.failed, ...b.failed], byFailed, (x, y) => ({ ...x, set: union(x.set, y.set) })),
    deadTokens: [...a.deadTokens, ...b.deadTokens].toSorted((x, y) => compare(x.position, y.position)),
    bounced: mergeBy([...a.bounced, ...b.bounced], byFailed, (x, y) => ({ ...x, set: union(x.set, y.set) })),
  };
}

export function answered({ sent, failed }: Results): Bitmap {
  return [...sent, ...failed].reduce((all, { set }) => all.union(Bitmap.decode(set)), Bitmap.empty);
}

export interface Addressee extends SliceIdentity {
  readonly messageId: bigint;
  readonly account: string;
  readonly entry?: SliceOutcome['entry'];
}

const outcomeOf = (slice: Addressee, at: Date, outcome: SliceOutcome['outcome']): SliceOutcome => ({
  message: slice.message,
  messageId: slice.messageId,
  account: slice.account,
  application: slice.application,
  bucket: slice.bucket,
  chunk: slice.chunk,
  platform: slice.platform,
  variant: slice.variant,
  number: slice.number,
  at,
  outcome,
  entry: slice.entry,
});

/** A device keeps its result in all later outcomes. */
export const resultsIn = ({ outcome }: Pick<SliceOutcome, 'outcome'>): SliceSettled | undefined =>
  outcome?.$case === 'deferred' ? outcome.value.results : outcome?.value;

/** Tokens name devices; outcomes are kept as long as figures. */
export function withoutTokens(outcome: SliceOutcome): { readonly facts: SliceOutcome; readonly tokens?: SliceOutcome } {
  const results = resultsIn(outcome);
  if (!results || results.deadTokens.length === 0) return { facts: outcome };
  const { deadTokens, claimedAt } = results;
  return {
    facts: withResultsIn(outcome, { ...results, deadTokens: [] }),
    tokens: {
      ...outcome,
      outcome: { $case: 'settled', value: { sent: [], failed: [], bounced: [], deadTokens, claimedAt } },
    },
  };
}

const withResultsIn = (outcome: SliceOutcome, results: SliceSettled): SliceOutcome => ({
  ...outcome,
  outcome:
    outcome.outcome?.$case === 'deferred'
      ? { $case: 'deferred', value: { ...outcome.outcome.value, results } }
      : { $case: 'settled', value: results },
});

/** Equal inputs give equal bytes. */
export const settledOutcome = (slice: Addressee, results: Results, claimedAt: Date, at: Date): SliceOutcome =>
  outcomeOf(slice, at, { $case: 'settled', value: { ...results, claimedAt } });

export const deferredOutcome = (
  slice: Addressee,
  { results, claimedAt, until }: { readonly results: Results; readonly claimedAt: Date; readonly until: Date },
  at: Date,
): SliceOutcome => {
  const isEmpty = results.sent.length + results.failed.length === 0;
  return outcomeOf(slice, at, {
    $case: 'deferred',
    value: { until, results: isEmpty ? undefined : { ...results, claimedAt } },
  });
};
