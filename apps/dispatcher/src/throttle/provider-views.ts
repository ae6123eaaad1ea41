import type { Providers, ProviderView } from '@tidings/rpc';
import type { CredentialState } from '../receive/batch-admission.ts';
import type { Throttles } from './throttles.ts';

export interface ProviderViewsOptions {
  readonly channel: string;
  readonly throttles: Throttles;
  /** The credentials of all lanes. */
  readonly states: () => readonly CredentialState[];
}

/** The operators' view of a channel's credentials, and their actions (architecture 8). */
export const providersOf = ({ channel, throttles, states }: ProviderViewsOptions): Providers => ({
  async listProviders() {
    // Another replica may have throttled or lifted since the last refresh.
    await throttles.refresh();
    const groups = new Map<string, CredentialState[]>();
    for (const state of states()) {
      const credential = state.fingerprint || state.reference;
      groups.set(credential, [...(groups.get(credential) ?? []), state]);
    }
    const throttled = new Map(throttles.throttled().map((throttle) => [throttle.credential, throttle]));
    const credentials = [...new Set([...groups.keys(), ...throttled.keys()])].toSorted();
    const providers = credentials.map((credential): ProviderView => {
      const known = groups.get(credential) ?? [];
      const throttle = throttled.get(credential);
      const references = [...known.map(({ reference }) => reference), ...(throttle?.versions.keys() ?? [])];
      const lastError = known.flatMap((each) => each.lastError ?? []).toSorted((a, b) => b.at - a.at)[0];
      return {
        credential,
        channel,
        applications: [...new Set(references.map((reference) => reference.split('/')[0]!))].toSorted(),
        reachable: known.every(({ reachable }) => reachable),
        lastError: lastError && { ...lastError, at: new Date(lastError.at) },
        throttledUntil: throttle && new Date(throttle.until),
        throttledBecause: throttle?.cause ?? '',
      };
    });
    return { providers };
  },
  async liftThrottle({ credential }) {
    return { lifted: await throttles.liftStored(credential) };
  },
});
