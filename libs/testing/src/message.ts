import { Fault } from '@tidings/kernel';
import { parseStatisticsHash } from '@tidings/messaging';
import type { ReplyOf } from '@tidings/client';
import type { LedgerEntry, ProviderName, Simulators } from '@tidings/simulators';
import type { World } from './world.ts';

/** Undefined if it is not listed. */
export async function listedMessage(
  world: Pick<World, 'call'>,
  application: string,
  code: string,
): Promise<ReplyOf<'messagesList'>['items'][number] | undefined> {
  const { items } = await world.call('messagesList', {
    filters: { application, messages_codes: [code] },
    params: { with_metrics: true, with_details: true },
  });
  return items[0];
}

/** Longer than an unresponsive provider blocks pushes. */
const SETTLE_MS = 60_000;

interface TimeSteps {
  /** Seconds per step of the clock. @default 70 */
  readonly stepSeconds?: number;
  /** @default 3600 */
  readonly timeoutSeconds?: number;
}

/** Advances the clock while devices are deferred. Resolves with the number of seconds advanced. */
export async function untilDone(
  world: Pick<World, 'call' | 'settle' | 'advance'>,
  application: string,
  code: string,
  { stepSeconds = 70, timeoutSeconds = 3600 }: TimeSteps = {},
): Promise<number> {
  for (let elapsedSeconds = 0; ; elapsedSeconds += stepSeconds) {
    await world.settle(SETTLE_MS);
    const status = (await listedMessage(world, application, code))?.status;
    if (status === 'DONE') return elapsedSeconds;
    if (elapsedSeconds >= timeoutSeconds) throw Fault.unavailable(`${code} is ${status} after ${elapsedSeconds} s`);
    await world.advance(stepSeconds);
  }
}

/** Accepted or not, in order. */
export const pushesOf = (
  simulators: Simulators,
  provider: ProviderName,
  code: string,
): (LedgerEntry & { readonly payload: string })[] =>
  simulators.ledger
    .of(provider)
    .entries({ limit: Infinity })
    .filter(({ hash }) => parseStatisticsHash(hash)?.code === code)
    .map((entry) => ({ ...entry, payload: entry.payload ?? '' }));
