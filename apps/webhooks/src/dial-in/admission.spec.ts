import { describe, expect, it } from '@jest/globals';
import { SubscriptionSettings } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { ApplicationView, TokenScope, TokenView } from '@tidings/rpc';
import type { Subscription } from '../subscriptions/subscription.ts';
import { admission } from './admission.ts';
import { refusalOf } from './refusals.ts';

const NOW = Date.UTC(2026, 0, 15);
const OWN = 'AAAAA-BBBBB';
const OPEN = 'BBBBB-CCCCC';
const FOREIGN = 'CCCCC-DDDDD';

const token = (id: string, fields: Partial<TokenView> = {}): TokenView =>
  TokenView.fromPartial({ id, account: 'a', scope: TokenScope.TOKEN_SCOPE_API, allApplications: true, ...fields });
const tokens: Readonly<Record<string, TokenView>> = {
  all: token('all'),
  some: token('some', { allApplications: false, applications: [OWN] }),
  other: token('other', { account: 'b' }),
  device: token('device', { scope: TokenScope.TOKEN_SCOPE_DEVICE }),
  expired: token('expired', { expiresAt: new Date(NOW) }),
  expiring: token('expiring', { expiresAt: new Date(NOW + 1) }),
};

const settings: Readonly<Record<string, Partial<SubscriptionSettings>>> = {
  any: {},
  own: { applications: [OWN] },
  open: { applications: [OWN, OPEN] },
  foreign: { applications: [OWN, FOREIGN] },
  disabled: { enabled: false },
  kafka: { endpoint: 'kafka://orders' },
};
const at = new Date(NOW);
const subscription = (id: string): Subscription | undefined =>
  settings[id] && {
    id,
    account: 'a',
    createdAt: at,
    since: at,
    settings: SubscriptionSettings.fromPartial({ enabled: true, ...settings[id] }),
  };

const admit = admission({
  tokens: {
    async resolveToken({ secret }) {
      if (secret === 'away') throw Fault.unavailable('A service does not answer');
      return { token: tokens[secret] };
    },
  },
  applications: {
    findApplication: async ({ application }) => ({
      application: ApplicationView.fromPartial({ code: application, authorizeAllTokens: application === OPEN }),
    }),
  },
  subscriptions: { find: async (id) => subscription(id) },
  clock: { now: () => NOW },
});

describe('a subscriber that dials in (R-EV7)', () => {
  it.each([
    ['Token all', 'any'],
    ['token  expiring', 'own'],
    ['Api all', 'foreign'],
    ['KEY all', 'any'],
    ['Bearer all', 'any'],
    ['all', 'any'],
    ['Token some', 'own'],
    ['Token some', 'open'],
  ])('is admitted with %j to the subscription %j', async (authorization, id) => {
    const admitted = await admit({ authorization, subscription: id });
    expect(admitted).toEqual({ subscription: subscription(id), token: authorization.split(/ +/).at(-1) });
  });

  const UNCOVERED = 'subscription: has events of applications outside the token';
  it.each([
    [undefined, 'any', 16, 'authorization: must be "Token" and an API token'],
    ['', 'any', 16, 'authorization: must be "Token" and an API token'],
    [`Token ${'a'.repeat(600)}`, 'any', 16, 'authorization: must be "Token" and an API token'],
    ['Token unknown', 'any', 16, 'authorization: unknown token'],
    ['Basic all', 'any', 16, 'authorization: unknown token'],
    ['Token expired', 'any', 16, 'authorization: unknown token'],
    ['Token device', 'any', 7, 'authorization: must be an API token'],
    ['Token all', undefined, 3, 'subscription: is required'],
    ['Token all', '', 3, 'subscription: is required'],
    ['Token all', 'unknown', 5, 'subscription: not found'],
    ['Token other', 'any', 5, 'subscription: not found'],
    ['Token some', 'any', 7, UNCOVERED],
    ['Token some', 'foreign', 7, UNCOVERED],
    ['Token all', 'kafka', 9, 'subscription: has an endpoint'],
    ['Token all', 'disabled', 9, 'subscription: is disabled'],
    ['Token away', 'any', 14, 'A service does not answer'],
  ])('is refused with %j to the subscription %j', async (authorization, id, code, details) => {
    const refusal = refusalOf(await admit({ authorization, subscription: id }).catch((error: unknown) => error));
    expect([refusal.code, refusal.message]).toEqual([code, details]);
  });

  it('receives no details of internal errors', () => {
    const refusal = refusalOf(new TypeError('x is undefined'));
    expect([refusal.code, refusal.message]).toEqual([13, 'Internal error']);
  });
});
