import type { AccessTokens } from './google-oauth/access-tokens.ts';
import type { Ledger } from './ledger.ts';
import type { Faults } from './provider-faults.ts';
import type { Keys } from './provider-keys.ts';
import type { Provider, SocketProvider } from './provider.ts';

export interface SimulatorDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
  /** Milliseconds. */
  readonly now: () => number;
  readonly tokenUrl: () => string;
}

export interface Simulator {
  open(deps: SimulatorDeps): Provider | SocketProvider;
  readonly http1: boolean;
  /** @default `http`, or `https` with TLS */
  readonly scheme?: string;
  /** For a push without an id of its own. */
  readonly idOf: (row: number) => string;
  isReason(reason: string): boolean;
}
