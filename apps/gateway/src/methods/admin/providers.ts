import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { ProviderView, ThrottledService } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

type Shown = OutputOf<typeof api.listProviders>['providers'][number];

const latest = (a: Date | undefined, b: Date | undefined): Date | undefined => (!a || (b && b > a) ? b : a);

const endOf = ({ until }: ThrottledService): number => until?.getTime() ?? 0;

/** Processes learn of throttles separately: the longest is shown. */
function joinedServices(all: readonly ThrottledService[]): ThrottledService[] {
  const byOrigin = new Map(all.toSorted((a, b) => endOf(a) - endOf(b)).map((each) => [each.origin, each]));
  return [...byOrigin.values()].toSorted((a, b) => endOf(b) - endOf(a));
}

const joined = (a: ProviderView, b: ProviderView): ProviderView => ({
  ...a,
  applications: [...new Set([...a.applications, ...b.applications])].toSorted(),
  reachable: a.reachable && b.reachable,
  lastError: latest(a.lastError?.at, b.lastError?.at) === a.lastError?.at ? a.lastError : b.lastError,
  throttledUntil: latest(a.throttledUntil, b.throttledUntil),
  throttledBecause: a.throttledBecause || b.throttledBecause,
  throttledServices: joinedServices([...a.throttledServices, ...b.throttledServices]),
});

const shown = (view: ProviderView): Shown => ({
  credential: view.credential,
  channel: view.channel,
  applications: view.applications,
  state: view.throttledUntil ? 'throttled' : view.reachable ? 'open' : 'unreachable',
  last_error: view.lastError
    ? { name: view.lastError.name, message: view.lastError.message, at: rfc3339(view.lastError.at ?? new Date(0)) }
    : null,
  throttled_until: rfc3339(view.throttledUntil),
  throttled_because: view.throttledBecause || null,
  push_services: view.throttledServices.map(({ origin, until, because }) => ({
    origin,
    throttled_until: rfc3339(until ?? new Date(0)),
    throttled_because: because,
  })),
});

export const listProviders: Handler<typeof api.listProviders, 'dispatchers'> = async (_input, { dispatchers }) => {
  const replies = await Promise.all((await dispatchers()).map((each) => each.listProviders({})));
  const byCredential = new Map<string, ProviderView>();
  for (const view of replies.flatMap(({ providers }) => providers)) {
    const existing = byCredential.get(view.credential);
    byCredential.set(view.credential, existing ? joined(existing, view) : view);
  }
  return {
    providers: [...byCredential.values()].map(shown).toSorted((a, b) => (a.credential < b.credential ? -1 : 1)),
  };
};

export const liftThrottle: Handler<typeof api.liftThrottle, 'dispatchers'> = async (
  { credential },
  { dispatchers },
) => {
  const replies = await Promise.all((await dispatchers()).map((each) => each.liftThrottle({ credential })));
  if (!replies.some(({ lifted }) => lifted)) throw Fault.notFound('This credential is not throttled');
};
