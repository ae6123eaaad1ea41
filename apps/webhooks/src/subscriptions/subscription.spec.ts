import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind, SubscriptionSettings, type WebhookEvent } from '@tidings/events';
import { givenEvents } from '@tidings/testing/given';
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

type Change = NonNullable<WebhookEvent['event']>;

const settings = SubscriptionSettings.fromPartial({ endpoint: 'grpc://a', events: ['Push Sent'], enabled: true });
const off = { ...settings, enabled: false };
const at = (second: number): Date => new Date(Date.UTC(2026, 0, 15, 12, 0, second));

const created: Change = { $case: 'created', value: { id: 's', settings } };
const changed = (to: SubscriptionSettings): Change => ({ $case: 'changed', value: { id: 's', settings: to } });
const disabled = (reason: string): Change => ({ $case: 'disabled', value: { id: 's', reason } });
const deleted: Change = { $case: 'deleted', value: { id: 's' } };

type Decision = (subscription: Subscription | undefined) => readonly Change[];

const change =
  (patch: SubscriptionPatch): Decision =>
  (subscription) =>
    changeSubscription(subscription, patch);
const disable =
  (reason: string): Decision =>
  (subscription) =>
    disableSubscription(subscription, reason);

/** One change a second. */
const given = (...past: Change[]) =>
  givenEvents<Subscription | undefined, WebhookEvent>(
    evolveSubscription,
    undefined,
  )(...past.map((event, second) => ({ account: 'a', at: at(second), event })));

describe('a subscription', () => {
  it('changes only the given fields', () => {
    const opens = { ...settings, events: ['Push Opened'] };
    given(created)
      .when(change({ events: ['Push Opened'], enabled: undefined }))
      .then(changed(opens));
    expect(given(created, changed(opens)).state).toMatchObject({ settings: opens });
    given(created)
      .when(change({ endpoint: 'grpc://a', events: ['Push Sent'] }))
      .then();
  });

  it('receives events since its creation or last enabling', () => {
    const moved = { ...settings, endpoint: 'grpc://b' };
    given(created)
      .when(change({ endpoint: 'grpc://b' }))
      .then(changed(moved));
    expect(given(created, changed(moved)).state).toMatchObject({ since: at(0) });
    given(created)
      .when(change({ enabled: false }))
      .then(changed(off));
    given(created, changed(off))
      .when(change({ enabled: true }))
      .then(changed(settings));
    const enabled = given(created, changed(off), changed(settings));
    expect(enabled.state).toMatchObject({ since: at(2) });
    enabled.when(change({ enabled: true })).then();
  });

  it('is disabled by failures, with the reason, until it is enabled again', () => {
    given(created).when(disable('HTTP 503')).then(disabled('HTTP 503'));
    const failed = given(created, disabled('HTTP 503'));
    const failure = { reason: 'HTTP 503', at: at(1) };
    expect(failed.state).toMatchObject({ settings: { enabled: false }, disabled: failure });
    failed.when(disable('HTTP 500')).then();
    given().when(disable('HTTP 500')).then();
    const opens = { ...off, events: ['Push Opened'] };
    failed.when(change({ events: ['Push Opened'] })).then(changed(opens));
    expect(given(created, disabled('HTTP 503'), changed(opens)).state).toMatchObject({ disabled: failure });
    failed.when(change({ enabled: true })).then(changed(settings));
    const enabled = given(created, disabled('HTTP 503'), changed(settings)).state;
    expect(enabled).not.toHaveProperty('disabled');
    expect(enabled).toMatchObject({ since: at(2) });
  });

  it('is deleted permanently', () => {
    given(created).when(deleteSubscription).then(deleted);
    const gone = given(created, deleted);
    expect(gone.state).toBeUndefined();
    gone.when(deleteSubscription).then();
    gone.when(change({ enabled: false })).then();
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
  ])('include an open according to its filters: %s with %j', (expected, filter) =>
    expect(isSubscribedTo({ ...push, ...filter }, opened, () => '7')).toBe(expected),
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
