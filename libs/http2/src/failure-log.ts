import type { ConnectionFailure, FailedOpening } from './connection-failure.ts';

export interface FailureLogger {
  warn(fields: object, message: string): void;
}

interface HostState {
  readonly causes: Set<ConnectionFailure>;
  loggedAt: number;
  suppressed: number;
}

const EVERY_MS = 60_000;
const HOSTS_MAX = 1000;

export function failureLog(log: FailureLogger): (failure: FailedOpening, host: string) => void {
  const hosts = new Map<string, HostState>();
  const stateOf = (host: string): HostState => {
    const existing = hosts.get(host);
    if (existing) return existing;
    if (hosts.size >= HOSTS_MAX) hosts.delete(hosts.keys().next().value!);
    const state: HostState = { causes: new Set(), loggedAt: -Infinity, suppressed: 0 };
    hosts.set(host, state);
    return state;
  };
  return ({ cause, message, at }, host) => {
    const state = stateOf(host);
    if (state.causes.has(cause) && at - state.loggedAt < EVERY_MS) {
      state.suppressed++;
      return;
    }
    const { suppressed } = state;
    log.warn({ host, cause, reason: message, suppressed }, 'connection to the provider failed');
    state.causes.add(cause);
    state.loggedAt = at;
    state.suppressed = 0;
  };
}
