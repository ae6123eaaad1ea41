import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind, SubscriptionSettings, type WebhookEvent } from '@tidings/events';
import {
  changeSubscription,
  deleteSubscription,
  disableSubscription,
  eventNameOf,
  evolveSubscription,
  type Subscription,
  type SubscriptionPatch,
  isSubscribedTo,
} from './subscription.ts';

const settings = SubscriptionSettings.fromPartial({ endpoint: 'grpc://a', events: ['Push Sent'], enabled: true });
const at = (second: number): Date => new Date(Date.UTC(2026, 0, 15, 12, 0, second));
const event = (change: WebhookEvent['event'], second: number): WebhookEvent => ({
  account: 'a',
  at: at(second),
  event: change,
});
const created = event({ $case: 'created', value: { id: 's', settings } }, 0);

function after(...patches: readonly SubscriptionPatch[]): Subscription {
  let subscription = evolveSubscription(undefined, created);
  patches.forEach((patch, i) => {
    for (const change of changeSubscription(subscription, patch)) {
      subscription = evolveSubscription(subscription, event(change, i + 1));
    }
  });
  return subscription!;
}

describe('a subscription', () => {
  it('changes only the given fields', () => {
    expect(after({ events: ['Push Opened'], enabled: undefined }).settings).toEqual({
      ...settings,
      events: ['Push Opened'],
    });
    expect(changeSubscription(after(), { endpoint: 'grpc://a', events: ['Push Sent'] })).toEqual([]);
  });

  it('receives events since its creation or last enabling', () => {
    expect(after({ endpoint: 'grpc://b' }).since).toEqual(at(0));
    expect(after({ enabled: false }, { enabled: true }, { enabled: true }).since).toEqual(at(2));
  });

  it('is disabled by failures, with the reason, until it is enabled again', () => {
    const [disabled] = disableSubscription(after(), 'HTTP 503');
    const failed = evolveSubscription(after(), event(disabled, 5))!;
    expect(failed).toMatchObject({ settings: { enabled: false }, disabled: { reason: 'HTTP 503', at: at(5) } });
    expect(disableSubscription(failed, 'HTTP 500')).toEqual([]);
    expect(disableSubscription(undefined, 'HTTP 500')).toEqual([]);
    const change = (patch: SubscriptionPatch): Subscription =>
      evolveSubscription(failed, event(changeSubscription(failed, patch)[0], 6))!;
    expect(change({ events: ['Push Opened'] }).disabled).toEqual(failed.disabled);
    expect(change({ enabled: true })).not.toHaveProperty('disabled');
    expect(change({ enabled: true }).since).toEqual(at(6));
  });

  it('is deleted permanently', () => {
    const [deleted] = deleteSubscription(after());
    expect(evolveSubscription(after(), event(deleted, 1))).toBeUndefined();
    expect(deleteSubscription(undefined)).toEqual([]);
    expect(changeSubscription(undefined, { enabled: false })).toEqual([]);
  });
});

describe('the events of a subscription', () => {
  const opened = {
    kind: EnqueuedKind.ENQUEUED_KIND_OPENED,
    platform: 3,
    application: 'AAAAA-BBBBB',
    message: 'M',
  };
  const push = { ...settings, events: ['Push Opened'] };

  it.each<[boolean, Partial<SubscriptionSettings>]>([
    [true, {}],
    [false, { events: ['Push Sent', 'Push Delivered'] }],
    [true, { applications: ['AAAAA-BBBBB', 'X'], platforms: [1, 3], messageCodes: ['M'] }],
    [false, { applications: ['X'] }],
    [false, { platforms: [1] }],
    [false, { messageCodes: ['N'] }],
    [
      true,
      {
        campaigns: [
          { code: 'A', id: '8' },
          { code: 'B', id: '7' },
        ],
      },
    ],
    [false, { campaigns: [{ code: 'A', id: '8' }] }],
  ])('include an open according to its filters: %s with %j', (wanted, filter) =>
    expect(isSubscribedTo({ ...push, ...filter }, opened, () => '7')).toBe(wanted),
  );

  it('have no name for an unsupported channel', () => {
    expect(eventNameOf(EnqueuedKind.ENQUEUED_KIND_SENT, 1)).toBe('Push Sent');
    expect(eventNameOf(EnqueuedKind.ENQUEUED_KIND_SENT, 99)).toBe('');
    expect(eventNameOf(EnqueuedKind.ENQUEUED_KIND_BOUNCED, 14)).toBe('Email Bounced');
    expect(eventNameOf(EnqueuedKind.ENQUEUED_KIND_BOUNCED, 1)).toBe('');
    expect(eventNameOf(EnqueuedKind.ENQUEUED_KIND_SENT, 18)).toBe('SMS Sent');
    expect(eventNameOf(EnqueuedKind.ENQUEUED_KIND_DELIVERED, 18)).toBe('SMS Delivered');
    expect(eventNameOf(EnqueuedKind.ENQUEUED_KIND_OPENED, 18)).toBe('');
  });
});
