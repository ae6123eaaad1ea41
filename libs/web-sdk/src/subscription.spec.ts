import { describe, expect, it } from '@jest/globals';
import { base64url, hasKey, subscriptionWith } from './subscription.ts';

const keyOf = (byte: number): string => Buffer.alloc(65, byte).toString('base64url');
const bytesOf = (key: string): ArrayBuffer => Uint8Array.from(Buffer.from(key, 'base64url')).buffer;
const [OLD, NEW] = [keyOf(0xfb), keyOf(0xff)];

describe('the key of a subscription', () => {
  it('has no padding, and the alphabet of URLs', () => {
    const key = Buffer.alloc(64, 0xff);
    expect(base64url(key.toString('base64'))).toBe(key.toString('base64url'));
  });

  it.each([
    [OLD, bytesOf(OLD), undefined, true],
    [NEW, bytesOf(OLD), NEW, false],
    [NEW, bytesOf(keyOf(0xff).slice(0, 40)), undefined, false],
    [OLD, null, OLD, true],
    [NEW, null, OLD, false],
    [NEW, undefined, undefined, false],
  ])('%s is compared with that of the subscription, else with the stored one', (key, own, stored, expected) => {
    expect(hasKey(key, own, stored)).toBe(expected);
  });
});

interface FakeSubscription {
  readonly options: { readonly applicationServerKey: ArrayBuffer };
  unsubscribe(): Promise<boolean>;
}

function fakeManager(key: string | undefined, refusal?: Error) {
  const log: string[] = [];
  const subscription = (own: ArrayBuffer): FakeSubscription => ({
    options: { applicationServerKey: own },
    unsubscribe: () => Promise.resolve(log.push('unsubscribe') > 0),
  });
  const manager = {
    getSubscription: () => Promise.resolve(key === undefined ? null : subscription(bytesOf(key))),
    subscribe({ userVisibleOnly, applicationServerKey }: { userVisibleOnly: boolean; applicationServerKey: string }) {
      if (refusal) return Promise.reject(refusal);
      log.push(`subscribe ${userVisibleOnly} ${applicationServerKey}`);
      return Promise.resolve(subscription(bytesOf(applicationServerKey)));
    },
  } as unknown as PushManager;
  return { manager, log };
}

describe('a subscription', () => {
  it('stays as long as the application has its key', async () => {
    const { manager, log } = fakeManager(OLD);
    await subscriptionWith(manager, OLD);
    expect(log).toEqual([]);
  });

  it('is made with the key of the application', async () => {
    const { manager, log } = fakeManager(undefined);
    await subscriptionWith(manager, NEW);
    expect(log).toEqual([`subscribe true ${NEW}`]);
  });

  it('is replaced when the application has another key', async () => {
    const { manager, log } = fakeManager(OLD);
    await subscriptionWith(manager, NEW, OLD);
    expect(log).toEqual(['unsubscribe', `subscribe true ${NEW}`]);
  });

  it('fails with a sentence where the browser has no push service', async () => {
    const { manager } = fakeManager(undefined, new Error('Registration failed.'));
    await expect(subscriptionWith(manager, NEW)).rejects.toMatchObject({
      code: 'refused',
      message: 'The browser cannot subscribe: Registration failed.',
    });
  });
});
