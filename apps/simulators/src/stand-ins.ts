import { Apns, apnsIdOf } from './apns/apns.ts';
import { apnsStatus } from './apns/reasons.ts';
import type { Faults } from './provider-faults.ts';
import { isFcmError } from './fcm/errors.ts';
import { Fcm, fcmIdOf } from './fcm/fcm.ts';
import type { AccessTokens } from './google-oauth/access-tokens.ts';
import { isOAuthError, tokenEndpoint } from './google-oauth/token-endpoint.ts';
import type { Keys } from './provider-keys.ts';
import type { Ledger } from './ledger.ts';
import type { Provider, ProviderName } from './provider.ts';

/** What a stand-in is made of. */
export interface StandInParts {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
  /** The simulators' time, in milliseconds. */
  readonly now: () => number;
  /** Where Google's access tokens come from. */
  readonly tokenUrl: () => string;
}

/** What the simulators need to know of a provider to stand in for it. */
export interface StandIn {
  open(parts: StandInParts): Provider;
  /** Whether it is asked by HTTP/1.1 too. */
  readonly http1: boolean;
  /** Names a push that came without an id, by its row in the ledger. */
  readonly idOf: (row: number) => string;
  /** Whether the fault `answer` takes this reason. */
  isReason(reason: string): boolean;
}

const byName = {
  apns: {
    open: (parts) => new Apns(parts),
    http1: false,
    idOf: apnsIdOf,
    isReason: (reason) => apnsStatus(reason) !== undefined,
  },
  fcm: { open: (parts) => new Fcm(parts), http1: true, idOf: fcmIdOf, isReason: isFcmError },
  'google-oauth': {
    open: ({ tokenUrl, ...parts }) => tokenEndpoint({ ...parts, audience: tokenUrl }),
    http1: true,
    idOf: () => '',
    isReason: isOAuthError,
  },
} satisfies Record<ProviderName, StandIn>;

/** The stand-in of every provider, by its name, a line each; looked up when the simulators start. */
export const standIns = new Map<string, StandIn>(Object.entries(byName));
