import type { SentValues } from '@tidings/rpc';
import { ofSent, type Subscription } from './subscription.ts';

const AT_ONCE = 5_000;

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
