import { expect, it } from '@jest/globals';
import { webPushSubscription } from '@tidings/simulators';
import { subscriptionKeys } from './demo-population.ts';

it('the browsers of the demo have the keys of their simulated push service', () => {
  for (const [kind, argument, n] of [
    ['accepted', 0, 7],
    ['dead', 0, 8],
    ['throttled', 1, 9],
  ] as const) {
    const { path, publicKey, authToken } = webPushSubscription(kind, n, argument);
    expect(path).toBe(`/push/${kind}.${argument}.${n}`);
    expect(subscriptionKeys(path)).toEqual({ public_key: publicKey, auth_token: authToken });
  }
});
