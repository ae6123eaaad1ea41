import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind, EventDetails } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import fc from 'fast-check';
import {
  evolveDelivery,
  HOLD_MS,
  noDeliveries,
  releasePending,
  enqueueOutcome,
  enqueueReports,
  type DeliveryState,
} from './delivery-state.ts';
import { MAX_DETAILED_BYTES, type PlainReport, type Report } from './early-reports.ts';
import { deliveryDocument, deliveryOf } from './delivery-document.ts';
import type { DeliveryChange, DeliveryUnit } from './enqueued-events.ts';
import type { OutcomeDevices } from './outcome-events.ts';

const place: DeliveryUnit = { account: 'a', message: 'M', messageId: 7n, application: 'A', chunk: 2 };
const T0 = Date.UTC(2026, 0, 15, 12);
const at = (ms: number): Date => new Date(T0 + ms);
const seconds = (ms: number): number => (T0 + ms) / 1000;

type Step = (delivery: DeliveryState) => readonly DeliveryChange[];
const sentTo = (platform: number, devices: readonly number[]) => ({
  bucket: 0,
  platform,
  variant: 'alert',
  slice: 0,
  devices: Bitmap.of(devices),
});
const sent =
  (platform: number, ...devices: number[]): Step =>
  (delivery) =>
    enqueueOutcome(place, delivery, { sent: [sentTo(platform, devices)], others: [] }, at(0));
const report = (kind: PlainReport['kind'], position: number, ms = 0): Report => ({
  kind,
  platform: 1,
  position,
  at: seconds(ms),
});
const delivered = (position: number, ms = 0) => report(EnqueuedKind.ENQUEUED_KIND_DELIVERED, position, ms);
const opened = (position: number, ms = 0) => report(EnqueuedKind.ENQUEUED_KIND_OPENED, position, ms);
const reported =
  (...reports: Report[]): Step =>
  (delivery) =>
    enqueueReports(place, delivery, reports, at(0));
const released =
  (ms: number, isKnown = true): Step =>
  (delivery) =>
    releasePending(place, delivery, at(ms), isKnown);

const mail =
  (
    kind:
      | EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED
      | EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED
      | EnqueuedKind.ENQUEUED_KIND_BOUNCED,
  ) =>
  (position: number, ms = 0, text = ''): Report => ({
    kind,
    platform: 14,
    position,
    at: seconds(ms),
    ...(text !== '' && { details: EventDetails.fromPartial({ text }) }),
  });
const mailOpened = mail(EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED);
const clicked = mail(EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED);
const bounced = mail(EnqueuedKind.ENQUEUED_KIND_BOUNCED);
const mailed =
  (accepted: readonly number[], refused: readonly number[] = []): Step =>
  (delivery) => {
    const of = { bucket: 0, platform: 14, variant: 'alert' };
    const others: OutcomeDevices[] = [
      { ...of, kind: EnqueuedKind.ENQUEUED_KIND_DELIVERED, devices: Bitmap.of(accepted) },
      { ...of, kind: EnqueuedKind.ENQUEUED_KIND_BOUNCED, devices: Bitmap.of(refused) },
    ];
    return enqueueOutcome(place, delivery, { sent: [sentTo(14, [...accepted, ...refused])], others }, at(0));
  };
const stored: Step = () => [];
const restored = (delivery: DeliveryState): DeliveryState => deliveryOf(deliveryDocument(place, delivery, at(0)));

const words: Readonly<Record<number, string>> = {
  1: 'sent',
  2: 'delivered',
  3: 'opened',
  9: 'bounced',
  10: 'mail opened',
  11: 'clicked',
};

function delivery(change: DeliveryChange): string {
  if (change.$case === 'released') return 'released';
  const { kind, platform, set, at: times, details } = change.value;
  const who = [...Bitmap.decode(set).positions()].join();
  return `${change.$case === 'pending' ? 'held ' : ''}${words[kind]} ${who} of ${platform} at ${times.map((time) => time - T0 / 1000).join()}${details?.text ? ` ${details.text}` : ''}`;
}

function given(...steps: readonly Step[]) {
  return {
    when(step: Step) {
      const state = steps.reduce(
        (before, one) => (one === stored ? restored(before) : one(before).reduce(evolveDelivery, before)),
        noDeliveries,
      );
      const changes = step(state);
      return {
        then: (...expected: string[]) => expect(changes.map(delivery)).toEqual(expected),
        state: changes.reduce(evolveDelivery, state),
      };
    },
  };
}

describe('the entry of a message in inboxes', () => {
  const entry = { order: 9n, removal: 1_768_435_201n };
  const saved =
    (...devices: number[]): Step =>
    (state) =>
      enqueueOutcome(place, state, { sent: [{ ...sentTo(1, devices), entry }], others: [] }, at(0));
  const entriesIn = (changes: readonly DeliveryChange[]) =>
    changes.map((change) => change.$case === 'enqueued' && [words[change.value.kind], change.value.entry?.order]);

  it('is that of the Sent of a device in its Delivered and its Opened, also after a restart', () => {
    const state = [saved(4), sent(1, 5)].reduce(
      (before, step) => step(before).reduce(evolveDelivery, before),
      noDeliveries,
    );
    const changes = reported(delivered(4), opened(5), opened(4))(restored(state));
    expect(entriesIn(changes)).toEqual([
      ...[
        ['delivered', 9n],
        ['opened', 9n],
      ],
      ...[
        ['delivered', undefined],
        ['opened', undefined],
      ],
    ]);
  });

  it('is that of a Sent that reports waited for', () => {
    const waiting = reported(opened(4))(noDeliveries).reduce(evolveDelivery, noDeliveries);
    expect(entriesIn(saved(4)(waiting))).toEqual([
      ['sent', 9n],
      ['delivered', 9n],
      ['opened', 9n],
    ]);
  });
});

describe('the devices of a Sent', () => {
  it('are enqueued once, despite repeated records', () => {
    given()
      .when(sent(1, 3, 1))
      .then('sent 1,3 of 1 at 0');
    given(sent(1, 1, 3))
      .when(sent(1, 1, 3))
      .then();
    given(sent(1, 1))
      .when(sent(1, 1, 3))
      .then('sent 3 of 1 at 0');
  });
});

describe('reports', () => {
  it('are enqueued for devices with an enqueued Sent, the first of each kind', () => {
    const first = given(sent(1, 1, 2, 3)).when(reported(delivered(2, 5000), delivered(1, 4000), delivered(2, 9000)));
    first.then('delivered 1,2 of 1 at 4,5');
    given(sent(1, 1), reported(delivered(1)))
      .when(reported(delivered(1), opened(1, 1000)))
      .then('opened 1 of 1 at 1');
  });

  it('imply a missing delivery if they are opens, and suppress a later one (R-C11)', () => {
    given(sent(1, 1))
      .when(reported(opened(1, 3000)))
      .then('delivered 1 of 1 at 3', 'opened 1 of 1 at 3');
    given(sent(1, 1), reported(opened(1)))
      .when(reported(delivered(1, 1000), opened(1, 2000)))
      .then();
  });

  it('wait for their Sent, and follow it in order', () => {
    given()
      .when(reported(opened(1, 1000), delivered(2)))
      .then('held opened 1 of 1 at 1', 'held delivered 2 of 1 at 0');
    given(reported(opened(1, 1000), delivered(2)))
      .when(sent(1, 1))
      .then('sent 1 of 1 at 0', 'delivered 1 of 1 at 1', 'opened 1 of 1 at 1');
    given(reported(opened(1)), sent(1, 1))
      .when(released(HOLD_MS))
      .then();
  });

  it('are pending once each', () => {
    given(reported(delivered(1)))
      .when(reported(delivered(1), opened(1)))
      .then('held opened 1 of 1 at 0');
    given(reported(opened(1)))
      .when(reported(delivered(1), opened(1)))
      .then();
    given()
      .when(reported(delivered(1), delivered(1, 1000)))
      .then('held delivered 1 of 1 at 0');
  });

  it('are enqueued after 30 s without a Sent, which is still enqueued when it arrives', () => {
    given(reported(delivered(1)))
      .when(released(HOLD_MS - 1))
      .then();
    const late = given(reported(delivered(1), opened(1, 2000))).when(released(HOLD_MS));
    late.then('delivered 1 of 1 at 0', 'opened 1 of 1 at 2', 'released');
    expect(late.state.pending).toEqual([]);
    const setBack = given(reported(delivered(1), opened(1, 2000))).when(released(-3_600_000));
    setBack.then('delivered 1 of 1 at 0', 'opened 1 of 1 at 2', 'released');
    given(reported(delivered(1)), released(HOLD_MS))
      .when(sent(1, 1))
      .then('sent 1 of 1 at 0');
  });

  it('are dropped for unknown messages', () => {
    const forgotten = given(reported(delivered(1))).when(released(HOLD_MS, false));
    forgotten.then('released');
    expect(forgotten.state).toEqual(noDeliveries);
  });

  it('wait for the Sent of their mail, and follow it and its acceptance, also after a restart', () => {
    given(
      reported(mailOpened(1, 1000), clicked(1, 1000, 'https://a.example/'), clicked(1, 2000, 'https://b.example/')),
      stored,
    )
      .when(mailed([1, 2]))
      .then(
        'sent 1,2 of 14 at 0',
        'delivered 1,2 of 14 at 0',
        'mail opened 1 of 14 at 1',
        'clicked 1 of 14 at 1 https://a.example/',
        'clicked 1 of 14 at 2 https://b.example/',
      );
    given(reported(bounced(1, 1000)))
      .when(mailed([2], [1]))
      .then('sent 1,2 of 14 at 0', 'delivered 2 of 14 at 0', 'bounced 1 of 14 at 0');
    given(mailed([1]))
      .when(reported(mailOpened(1, 3000)))
      .then('mail opened 1 of 14 at 3');
  });

  it('are pending once each for mails, except that every click is', () => {
    const once = given(reported(mailOpened(1), clicked(1, 0, 'a')));
    once.when(reported(mailOpened(1, 1000), clicked(1, 0, 'a'))).then();
    once
      .when(reported(clicked(1, 1000, 'a'), clicked(1, 0, 'b')))
      .then('held clicked 1 of 14 at 1 a', 'held clicked 1 of 14 at 0 b');
    const late = given(reported(mailOpened(1), clicked(1, 0, 'a')), stored).when(released(HOLD_MS));
    late.then('mail opened 1 of 14 at 0', 'clicked 1 of 14 at 0 a', 'released');
    expect(late.state.pending).toEqual([]);
  });

  it('do not wait for mails beyond a size, while those for pushes still wait', () => {
    const text = 'x'.repeat(2_000);
    const many = Array.from({ length: MAX_DETAILED_BYTES / text.length }, (_, position) => clicked(position, 0, text));
    const changes = reported(...many, delivered(9))(noDeliveries);
    const devicesOf = ($case: DeliveryChange['$case']) =>
      changes.flatMap((change) =>
        change.$case === $case && 'set' in change.value ? [...Bitmap.decode(change.value.set).positions()] : [],
      );
    expect(devicesOf('pending')).toContain(9);
    expect(new Set([...devicesOf('pending'), ...devicesOf('enqueued')]).size).toBe(many.length);
    expect(devicesOf('enqueued').length).toBeGreaterThan(0);
    const state = changes.reduce(evolveDelivery, noDeliveries);
    expect(deliveryDocument(place, state, at(0)).pending!.length).toBeLessThan(MAX_DETAILED_BYTES + 100);
  });

  it('lead to each event once, in order, for any arrival order', () => {
    const positions = fc.nat({ max: 3 });
    const step = fc.oneof(
      positions.map((position) => sent(1, position)),
      fc
        .array(fc.tuple(fc.boolean(), positions), { minLength: 1, maxLength: 4 })
        .map((reports) =>
          reported(...reports.map(([isOpen, position]) => (isOpen ? opened(position) : delivered(position)))),
        ),
      fc.constant(released(HOLD_MS)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const seen = new Map<number, string>();
        [...steps, released(HOLD_MS)].reduce((state, one) => {
          const changes = one(state);
          for (const change of changes) {
            if (change.$case !== 'enqueued') continue;
            for (const position of Bitmap.decode(change.value.set).positions()) {
              seen.set(position, `${seen.get(position) ?? ''}${change.value.kind}`);
            }
          }
          return changes.reduce(evolveDelivery, state);
        }, noDeliveries);
        // Delivered before opened, each once; Sent first, or last if it came too late.
        for (const order of seen.values()) expect(order).toMatch(/^(1?(2(1?3)?)?|(23?)1|2|23)$/);
      }),
    );
  });
});
