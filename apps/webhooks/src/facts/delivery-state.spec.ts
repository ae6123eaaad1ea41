import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import fc from 'fast-check';
import {
  evolveDelivery,
  HOLD_MS,
  noDeliveries,
  releasePending,
  type Report,
  enqueueReports,
  enqueueSent,
  type DeliveryState,
} from './delivery-state.ts';
import type { DeliveryChange, Place } from './enqueued-events.ts';

const place: Place = { account: 'a', message: 'M', messageId: 7n, application: 'A', chunk: 2 };
const T0 = Date.UTC(2026, 0, 15, 12);
const at = (ms: number): Date => new Date(T0 + ms);
const seconds = (ms: number): number => (T0 + ms) / 1000;

type Step = (delivery: DeliveryState) => readonly DeliveryChange[];
const sent =
  (platform: number, ...devices: number[]): Step =>
  (delivery) =>
    enqueueSent(
      place,
      delivery,
      [{ bucket: 0, platform, variant: 'alert', slice: 0, devices: Bitmap.of(devices) }],
      at(0),
    );
const report = (kind: Report['kind'], position: number, ms = 0): Report => ({
  ...{ kind, platform: 1, position },
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

const words: Readonly<Record<number, string>> = { 1: 'sent', 2: 'delivered', 3: 'opened' };

/** A short text for a change. */
function delivery(change: DeliveryChange): string {
  if (change.$case === 'released') return 'released';
  const { kind, platform, set, at: times } = change.value;
  const who = [...Bitmap.decode(set).positions()].join();
  return `${change.$case === 'pending' ? 'held ' : ''}${words[kind]} ${who} of ${platform} at ${times.map((time) => time - T0 / 1000).join()}`;
}

/** The changes of the last step, after applying the earlier ones. */
function given(...steps: readonly Step[]) {
  return {
    when(step: Step) {
      const state = steps.reduce((before, one) => one(before).reduce(evolveDelivery, before), noDeliveries);
      const changes = step(state);
      return {
        then: (...expected: string[]) => expect(changes.map(delivery)).toEqual(expected),
        state: changes.reduce(evolveDelivery, state),
      };
    },
  };
}

describe('devices that were sent to', () => {
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
  it('of devices with an enqueued Sent are enqueued, the first of each kind', () => {
    const first = given(sent(1, 1, 2, 3)).when(reported(delivered(2, 5000), delivered(1, 4000), delivered(2, 9000)));
    first.then('delivered 1,2 of 1 at 4,5');
    given(sent(1, 1), reported(delivered(1)))
      .when(reported(delivered(1), opened(1, 1000)))
      .then('opened 1 of 1 at 1');
  });

  it('of an open imply a missing delivery, and suppress a later one (R-C11)', () => {
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
    given(reported(delivered(1)), released(HOLD_MS))
      .when(sent(1, 1))
      .then('sent 1 of 1 at 0');
  });

  it('of unknown messages are dropped', () => {
    const forgotten = given(reported(delivered(1))).when(released(HOLD_MS, false));
    forgotten.then('released');
    expect(forgotten.state).toEqual(noDeliveries);
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
