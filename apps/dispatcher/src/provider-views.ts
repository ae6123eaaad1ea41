import type { Providers, ProviderView } from '@tidings/rpc';
import type { Channel, ThrottledService } from './channels/channel-port.ts';
import type { CredentialState } from './receive/batch-admission.ts';
import type { Throttles } from './throttle/throttles.ts';

export interface ProviderViewsOptions {
  readonly channel: string;
  readonly throttles: Throttles;
  readonly states: () => readonly CredentialState[];
  readonly services: Pick<Channel, 'throttledServices' | 'liftServices'>;
  readonly makeDue: (references: readonly string[]) => void;
}

const SERVICES_MAX = 100;

function servicesOf(throttled: readonly ThrottledService[], credential: string): ProviderView['throttledServices'] {
  const longestFirst = throttled.filter((each) => each.credential === credential).toSorted((a, b) => b.until - a.until);
  const byOrigin = new Map(longestFirst.toReversed().map((each) => [each.origin, each]));
  return [...byOrigin.values()]
    .toReversed()
    .slice(0, SERVICES_MAX)
    .map(({ origin, until, cause }) => ({ origin, until: new Date(until), because: cause }));
}

export const providersOf = ({ channel, throttles, states, services, makeDue }: ProviderViewsOptions): Providers => ({
  async listProviders() {
    await throttles.refresh();
    const groups = new Map<string, CredentialState[]>();
    for (const state of states()) {
      const credential = state.fingerprint || state.reference;
      groups.set(credential, [...(groups.get(credential) ?? []), state]);
    }
    const throttled = new Map(throttles.throttled().map((throttle) => [throttle.credential, throttle]));
    const waiting = services.throttledServices?.() ?? [];
    const credentials = [...new Set([...groups.keys(), ...throttled.keys()])].toSorted();
    const providers = credentials.map((credential): ProviderView => {
      const members = groups.get(credential) ?? [];
      const throttle = throttled.get(credential);
      const references = [...members.map(({ reference }) => reference), ...(throttle?.versions.keys() ?? [])];
      const lastError = members.flatMap((each) => each.lastError ?? []).toSorted((a, b) => b.at - a.at)[0];
      return {
        credential,
        channel,
        applications: [...new Set(references.map((reference) => reference.split('/')[0]!))].toSorted(),
        reachable: members.every(({ reachable }) => reachable),
        lastError: lastError && { ...lastError, at: new Date(lastError.at) },
        throttledUntil: throttle && new Date(throttle.until),
        throttledBecause: throttle?.cause ?? '',
        throttledServices: servicesOf(waiting, credential),
      };
    });
    return { providers };
  },
  async liftThrottle({ credential }) {
    const references = services.liftServices?.(credential) ?? [];
    makeDue(references);
    const lifted = await throttles.liftStored(credential);
    return { lifted: lifted || references.length > 0 };
  },
});
