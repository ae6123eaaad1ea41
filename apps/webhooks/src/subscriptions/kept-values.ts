import type { SentValues } from '@tidings/rpc';
import { ofSent, type Subscription } from './subscription.ts';

/** Applications in one request to dispatchers. */
const AT_ONCE = 5_000;

/** Has dispatchers keep what they send, for the payloads of the events that these subscriptions want. */
export async function keepValues(
  sentValues: Pick<SentValues, 'keep'>,
  subscriptions: readonly Pick<Subscription, 'account' | 'settings'>[],
): Promise<void> {
  for (const { account, settings } of subscriptions) {
    const { enabled, events, applications } = settings;
    if (!enabled || !events.some(ofSent)) continue;
    for (let first = 0; first === 0 || first < applications.length; first += AT_ONCE) {
      await sentValues.keep({ of: [{ account, applications: applications.slice(first, first + AT_ONCE) }] });
    }
  }
}
