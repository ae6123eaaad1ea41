import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind, EventDetails, type EventsEnqueued } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { givenEvents } from '@tidings/testing/given';
import fc from 'fast-check';
import {
  evolveDelivery,
  HOLD_MS,
  noDeliveries,
  releasePending,
  enqueueOutcome,
  enqueueReports,
  type DeliveryState,
  type SentDevices,
} from './delivery-state.ts';
import { MAX_DETAILED_BYTES, type PlainReport, type Report } from './early-reports.ts';
import { deliveryDocument, deliveryOf } from './delivery-document.ts';
import type { DeliveryChange, DeliveryUnit } from './enqueued-events.ts';
import type { OutcomeDevices } from './outcome-events.ts';

const {
  ENQUEUED_KIND_SENT: SENT,
  ENQUEUED_KIND_DELIVERED: DELIVERED,
  ENQUEUED_KIND_OPENED: OPENED,
  ENQUEUED_KIND_BOUNCED: BOUNCED,
  ENQUEUED_KIND_MAIL_OPENED: MAIL_OPENED,
  ENQUEUED_KIND_MAIL_CLICKED: MAIL_CLICKED,
} = EnqueuedKind;
const MAIL = 14;
const unit: DeliveryUnit = { account: 'a', message: 'M', messageId: 7n, application: 'A', chunk: 2 };
const identity = { message: 'M', messageId: 7n, application: 'A', chunk: 2 };
const T0 = Date.UTC(2026, 0, 15, 12);
const at = (ms: number): Date => new Date(T0 + ms);
const seconds = (ms: number): number => (T0 + ms) / 1000;

const report = (kind: PlainReport['kind'], position: number, ms: number): Report => ({
  kind,
  platform: 1,
  position,
  at: seconds(ms),
});
const delivered = (position: number, ms = 0) => report(DELIVERED, position, ms);
const opened = (position: number, ms = 0) => report(OPENED, position, ms);
const mailReport =
  (kind: typeof MAIL_OPENED | typeof MAIL_CLICKED | typeof BOUNCED) =>
  (position: number, ms = 0, text = ''): Report => ({
    kind,
    platform: MAIL,
    position,
    at: seconds(ms),
    ...(text !== '' && { details: EventDetails.fromPartial({ text }) }),
  });
const mailOpened = mailReport(MAIL_OPENED);
const clicked = mailReport(MAIL_CLICKED);
const bounced = mailReport(BOUNCED);

type Enqueued = DeliveryChange & { $case: 'enqueued' };
type Alike = readonly [Report, ...Report[]];

const setOf = (positions: readonly number[]) => Buffer.from(Bitmap.of(positions).encode());
const columnsOf = ([first, ...others]: Alike) => ({
  ...identity,
  kind: first.kind,
  platform: first.platform,
  set: setOf([first, ...others].map(({ position }) => position)),
  at: [...new Set([first, ...others].map((each) => each.at))],
  details: 'details' in first ? first.details : undefined,
});
const enqueued = (...alike: Alike): Enqueued => ({
  $case: 'enqueued',
  value: { ...columnsOf(alike), bucket: 0, variant: '', slice: 0, entry: undefined },
});
const pending = (...alike: Alike): DeliveryChange => ({
  $case: 'pending',
  value: { ...columnsOf(alike), until: at(HOLD_MS) },
});
const released = (ms: number): DeliveryChange => ({
  $case: 'released',
  value: { message: 'M', application: 'A', chunk: 2, until: at(ms) },
});
const outcome = (kind: EventsEnqueued['kind'], platform: number, devices: readonly number[]): Enqueued => ({
  $case: 'enqueued',
  value: {
    ...identity,
    kind,
    platform,
    bucket: 3,
    variant: 'alert',
    slice: kind === SENT ? 5 : 0,
    set: setOf(devices),
    at: [seconds(0)],
    entry: undefined,
    details: undefined,
  },
});
const sent = (...devices: number[]) => outcome(SENT, 1, devices);
const mailsSent = (...devices: number[]) => outcome(SENT, MAIL, devices);
const mailsAccepted = (...devices: number[]) => outcome(DELIVERED, MAIL, devices);
const mailsRefused = (...devices: number[]) => outcome(BOUNCED, MAIL, devices);

type Decision = (delivery: DeliveryState) => readonly DeliveryChange[];

const sentTo = (platform: number, devices: readonly number[]): SentDevices => ({
  bucket: 3,
  platform,
  variant: 'alert',
  slice: 5,
  devices: Bitmap.of(devices),
});
const recordSent =
  (...devices: number[]): Decision =>
  (delivery) =>
    enqueueOutcome(unit, delivery, { sent: [sentTo(1, devices)], others: [] }, at(0));
const recordMails =
  (accepted: readonly number[], refused: readonly number[] = []): Decision =>
  (delivery) => {
    const of = { bucket: 3, platform: MAIL, variant: 'alert' };
    const others: OutcomeDevices[] = [
      { ...of, kind: DELIVERED, devices: Bitmap.of(accepted) },
      { ...of, kind: BOUNCED, devices: Bitmap.of(refused) },
    ];
    return enqueueOutcome(unit, delivery, { sent: [sentTo(MAIL, [...accepted, ...refused])], others }, at(0));
  };
const recordReports =
  (...reports: Report[]): Decision =>
  (delivery) =>
    enqueueReports(unit, delivery, reports, at(0));
const release =
  (ms: number, isKnown = true): Decision =>
  (delivery) =>
    releasePending(unit, delivery, at(ms), isKnown);

const given = givenEvents(evolveDelivery, noDeliveries);

function givenStored(...past: readonly DeliveryChange[]) {
  const stored = deliveryDocument(unit, given(...past).state, at(0));
  return givenEvents(evolveDelivery, deliveryOf(stored))();
}

describe('the entry of a message in inboxes', () => {
  const entry = { order: 9n, removal: 1_768_435_201n };
  const inInbox = ({ $case, value }: Enqueued): Enqueued => ({ $case, value: { ...value, entry } });
  const recordSaved =
    (...devices: number[]): Decision =>
    (delivery) =>
      enqueueOutcome(unit, delivery, { sent: [{ ...sentTo(1, devices), entry }], others: [] }, at(0));

  it('is that of the Sent of a device in its Delivered and its Opened, also after a restart', () => {
    given()
      .when(recordSaved(4))
      .then(inInbox(sent(4)));
    givenStored(inInbox(sent(4)), sent(5))
      .when(recordReports(delivered(4), opened(5), opened(4)))
      .then(inInbox(enqueued(delivered(4))), inInbox(enqueued(opened(4))), enqueued(delivered(5)), enqueued(opened(5)));
  });

  it('is that of a Sent that reports waited for', () => {
    given(pending(opened(4)))
      .when(recordSaved(4))
      .then(inInbox(sent(4)), inInbox(enqueued(delivered(4))), inInbox(enqueued(opened(4))));
  });
});

describe('the devices of a Sent', () => {
  it('are enqueued once, despite repeated records', () => {
    given().when(recordSent(3, 1)).then(sent(1, 3));
    given(sent(1, 3)).when(recordSent(1, 3)).then();
    given(sent(1)).when(recordSent(1, 3)).then(sent(3));
  });
});

describe('reports', () => {
  it('are enqueued for devices with an enqueued Sent, the first of each kind', () => {
    given(sent(1, 2, 3))
      .when(recordReports(delivered(2, 5000), delivered(1, 4000), delivered(2, 9000)))
      .then(enqueued(delivered(1, 4000), delivered(2, 5000)));
    given(sent(1), enqueued(delivered(1)))
      .when(recordReports(delivered(1), opened(1, 1000)))
      .then(enqueued(opened(1, 1000)));
  });

  it('imply a missing delivery if they are opens, and suppress a later one (R-C11)', () => {
    given(sent(1))
      .when(recordReports(opened(1, 3000)))
      .then(enqueued(delivered(1, 3000)), enqueued(opened(1, 3000)));
    given(sent(1), enqueued(delivered(1)), enqueued(opened(1)))
      .when(recordReports(delivered(1, 1000), opened(1, 2000)))
      .then();
  });

  it('wait for their Sent, and follow it in order', () => {
    given()
      .when(recordReports(opened(1, 1000), delivered(2)))
      .then(pending(opened(1, 1000)), pending(delivered(2)));
    given(pending(opened(1, 1000)), pending(delivered(2)))
      .when(recordSent(1))
      .then(sent(1), enqueued(delivered(1, 1000)), enqueued(opened(1, 1000)));
    given(pending(opened(1)), sent(1), enqueued(delivered(1)), enqueued(opened(1)))
      .when(release(HOLD_MS))
      .then();
  });

  it('are pending once each', () => {
    given(pending(delivered(1)))
      .when(recordReports(delivered(1), opened(1)))
      .then(pending(opened(1)));
    given(pending(opened(1)))
      .when(recordReports(delivered(1), opened(1)))
      .then();
    given()
      .when(recordReports(delivered(1), delivered(1, 1000)))
      .then(pending(delivered(1)));
  });

  it('are enqueued after 30 s without a Sent, which is still enqueued when it arrives', () => {
    given(pending(delivered(1)))
      .when(release(HOLD_MS - 1))
      .then();
    const past = [pending(delivered(1)), pending(opened(1, 2000))];
    const late = [enqueued(delivered(1)), enqueued(opened(1, 2000)), released(HOLD_MS)];
    const clockSetBack = -3_600_000;
    for (const ms of [HOLD_MS, clockSetBack]) {
      given(...past)
        .when(release(ms))
        .then(...late);
    }
    expect(given(...past, ...late).state.pending).toEqual([]);
    given(pending(delivered(1)), enqueued(delivered(1)), released(HOLD_MS))
      .when(recordSent(1))
      .then(sent(1));
  });

  it('are dropped for unknown messages', () => {
    given(pending(delivered(1)))
      .when(release(HOLD_MS, false))
      .then(released(HOLD_MS));
    expect(given(pending(delivered(1)), released(HOLD_MS)).state).toEqual(noDeliveries);
  });

  it('wait for the Sent of their mail, and follow it and its acceptance, also after a restart', () => {
    const clicks = [clicked(1, 1000, 'https://a.example/'), clicked(1, 2000, 'https://b.example/')] as const;
    given()
      .when(recordReports(mailOpened(1, 1000), ...clicks))
      .then(pending(mailOpened(1, 1000)), pending(clicks[0]), pending(clicks[1]));
    givenStored(pending(mailOpened(1, 1000)), pending(clicks[0]), pending(clicks[1]))
      .when(recordMails([1, 2]))
      .then(
        mailsSent(1, 2),
        mailsAccepted(1, 2),
        enqueued(mailOpened(1, 1000)),
        enqueued(clicks[0]),
        enqueued(clicks[1]),
      );
    given()
      .when(recordReports(bounced(1, 1000)))
      .then(pending(bounced(1, 1000)));
    given(pending(bounced(1, 1000)))
      .when(recordMails([2], [1]))
      .then(mailsSent(1, 2), mailsAccepted(2), mailsRefused(1));
    given(mailsSent(1), mailsAccepted(1))
      .when(recordReports(mailOpened(1, 3000)))
      .then(enqueued(mailOpened(1, 3000)));
  });

  it('are pending once each for mails, except that every click is', () => {
    const past = [pending(mailOpened(1)), pending(clicked(1, 0, 'a'))];
    given()
      .when(recordReports(mailOpened(1), clicked(1, 0, 'a')))
      .then(...past);
    given(...past)
      .when(recordReports(mailOpened(1, 1000), clicked(1, 0, 'a')))
      .then();
    given(...past)
      .when(recordReports(clicked(1, 1000, 'a'), clicked(1, 0, 'b')))
      .then(pending(clicked(1, 1000, 'a')), pending(clicked(1, 0, 'b')));
    const late = [enqueued(mailOpened(1)), enqueued(clicked(1, 0, 'a')), released(HOLD_MS)];
    givenStored(...past)
      .when(release(HOLD_MS))
      .then(...late);
    expect(given(...past, ...late).state.pending).toEqual([]);
  });

  it('do not wait for mails beyond a size, while those for pushes still wait', () => {
    const text = 'x'.repeat(2_000);
    const many = Array.from({ length: MAX_DETAILED_BYTES / text.length }, (_, position) => clicked(position, 0, text));
    const changes = recordReports(...many, delivered(9))(noDeliveries);
    const devicesOf = ($case: DeliveryChange['$case']) =>
      changes.flatMap((change) =>
        change.$case === $case && 'set' in change.value ? [...Bitmap.decode(change.value.set).positions()] : [],
      );
    expect(devicesOf('pending')).toContain(9);
    expect(new Set([...devicesOf('pending'), ...devicesOf('enqueued')]).size).toBe(many.length);
    expect(devicesOf('enqueued').length).toBeGreaterThan(0);
    const state = given(...changes).state;
    expect(deliveryDocument(unit, state, at(0)).pending!.length).toBeLessThan(MAX_DETAILED_BYTES + 100);
  });

  it('lead to each event once, in order, for any arrival order', () => {
    const positions = fc.nat({ max: 3 });
    const step = fc.oneof(
      positions.map((position) => recordSent(position)),
      fc
        .array(fc.tuple(fc.boolean(), positions), { minLength: 1, maxLength: 4 })
        .map((reports) =>
          recordReports(...reports.map(([isOpen, position]) => (isOpen ? opened(position) : delivered(position)))),
        ),
      fc.constant(release(HOLD_MS)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const seen = new Map<number, string>();
        [...steps, release(HOLD_MS)].reduce((state, one) => {
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
