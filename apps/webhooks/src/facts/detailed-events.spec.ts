import { describe, expect, it } from '@jest/globals';
import { EnqueuedKind, MailOpen, ReportKind, Reports, SliceOutcome } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { deliveryDocument, deliveryOf } from './delivery-document.ts';
import { evolveDelivery, noDeliveries } from './delivery-state.ts';
import { type DeliveryChange, enqueueDetailed, type DeliveryUnit, type SingleKind } from './enqueued-events.ts';
import { enqueueOutcomes, type OutcomeDevices } from './outcome-events.ts';
import { outcomesIn } from './outcomes.ts';
import { isDetailed } from './early-reports.ts';
import { reportsIn } from './reports.ts';

const place: DeliveryUnit = { account: 'a', message: 'M', messageId: 7n, application: 'A', chunk: 2 };
const T0 = Date.UTC(2026, 0, 15, 12);

const enqueuedIn = (changes: readonly DeliveryChange[]) =>
  changes.map((change) => {
    if (change.$case !== 'enqueued') throw new Error(change.$case);
    const { kind, set, entry: of } = change.value;
    return [kind, [...Bitmap.decode(set).positions()], of?.order];
  });

describe('events of inboxes', () => {
  const { ENQUEUED_KIND_INBOX_DELIVERED: REACHED, ENQUEUED_KIND_INBOX_READ: READ } = EnqueuedKind;
  const entry = (order: bigint) => ({ order, removal: 1_800_000_000n });
  const touched = (kind: SingleKind, position: number, order = 7n) => ({
    kind,
    position,
    platform: 1,
    at: T0 / 1000,
    entry: entry(order),
  });
  it('are the first of each kind for a device, and wait for no push', () => {
    const first = enqueueDetailed(place, {}, [touched(REACHED, 1), touched(REACHED, 2), touched(READ, 1)]);
    expect(enqueuedIn(first)).toEqual([
      [REACHED, [1, 2], 7n],
      [READ, [1], 7n],
    ]);
    const after = first.reduce(evolveDelivery, noDeliveries);
    expect(after.sent.size).toBe(0);
    expect(
      enqueuedIn(enqueueDetailed(place, after.single, [touched(REACHED, 1), touched(READ, 2), touched(READ, 1)])),
    ).toEqual([[READ, [2], 7n]]);
  });

  it('name the entry of each device, of messages with several', () => {
    const both = enqueueDetailed(place, {}, [touched(REACHED, 1, 7n), touched(REACHED, 2, 8n)]);
    expect(enqueuedIn(both)).toEqual([
      [REACHED, [1], 7n],
      [REACHED, [2], 8n],
    ]);
  });

  it('survive in the stored document of the delivery state', () => {
    const state = enqueueDetailed(place, {}, [touched(REACHED, 1), touched(READ, 5)]).reduce(
      evolveDelivery,
      noDeliveries,
    );
    const { single } = deliveryOf(deliveryDocument(place, state, new Date(T0)));
    expect(Object.entries(single).map(([kind, set]) => [Number(kind), [...set.positions()]])).toEqual([
      [REACHED, [1]],
      [READ, [5]],
    ]);
  });
});

describe('events of e-mails', () => {
  const {
    ENQUEUED_KIND_MAIL_OPENED: OPENED,
    ENQUEUED_KIND_MAIL_CLICKED: CLICKED,
    ENQUEUED_KIND_BOUNCED: BOUNCED,
    ENQUEUED_KIND_DELIVERED: DELIVERED,
    ENQUEUED_KIND_FAILED: FAILED,
  } = EnqueuedKind;
  const reports = (kind: ReportKind, positions: number[], more: Partial<Reports> = {}) =>
    reportsIn(
      Reports.fromPartial({
        kind,
        positions,
        platforms: positions.map(() => 14),
        at: positions.map((_, i) => i),
        ...(more as object),
      }),
    ).filter(isDetailed);
  const detailsIn = (changes: readonly DeliveryChange[]) =>
    changes.map((change) => (change.$case === 'enqueued' ? change.value.details : undefined));

  it('include no opens by machines, and take a click as an open (R-EV2, R-E17)', () => {
    const { MAIL_OPEN_HUMAN, MAIL_OPEN_UNKNOWN, MAIL_OPEN_MACHINE, MAIL_OPEN_MACHINE_AMPP } = MailOpen;
    const opens = [MAIL_OPEN_MACHINE, MAIL_OPEN_UNKNOWN, MAIL_OPEN_MACHINE_AMPP, MAIL_OPEN_HUMAN];
    const opened = enqueueDetailed(place, {}, reports(ReportKind.REPORT_KIND_MAIL_OPENED, [1, 2, 3, 4], { opens }));
    expect(enqueuedIn(opened)).toEqual([[OPENED, [2, 4], undefined]]);
    const { single } = opened.reduce(evolveDelivery, noDeliveries);
    const details = ['https://a.example/', 'https://a.example/'];
    const clicked = enqueueDetailed(place, single, reports(ReportKind.REPORT_KIND_MAIL_CLICKED, [1, 2], { details }));
    expect(enqueuedIn(clicked)).toEqual([
      [OPENED, [1], undefined],
      [CLICKED, [1], undefined],
      [CLICKED, [2], undefined],
    ]);
  });

  it('include every click with its URL', () => {
    const details = ['https://a.example/', 'https://a.example/', 'https://b.example/'];
    const clicks = reports(ReportKind.REPORT_KIND_MAIL_CLICKED, [1, 1, 1], { details });
    const [, ...clicked] = enqueueDetailed(place, {}, clicks);
    expect(detailsIn(clicked).map((detail) => detail?.text)).toEqual(details);
    const after = clicked.reduce(evolveDelivery, noDeliveries);
    expect(enqueueDetailed(place, after.single, clicks).slice(1)).toHaveLength(3);
  });

  it('include the first bounce of a recipient, a refusal or a report', () => {
    const columns = { categories: ['BOUNCED_HARD_GENERAL', 'BOUNCED_SOFT_SPAM'], codes: ['550', '550'] };
    const statuses = { names: ['5.1.1', '5.7.9'] };
    const bounced = reports(ReportKind.REPORT_KIND_MAIL_BOUNCED, [1, 2], { ...columns, ...statuses });
    const refused = new Set([2]);
    const changes = enqueueDetailed(place, { [BOUNCED]: Bitmap.of(refused) }, bounced);
    expect(enqueuedIn(changes)).toEqual([[BOUNCED, [1], undefined]]);
    const details = { category: 'BOUNCED_HARD_GENERAL', code: '550', name: '5.1.1', text: '' };
    expect(detailsIn(changes)).toEqual([details]);
  });

  it('include the accepted, the refused and the failed mails of a slice, each once', () => {
    const set = (...positions: number[]) => Buffer.from(Bitmap.of(positions).encode());
    const bounce = { platform: 14, category: 'BOUNCED_SOFT_SPAM', code: '550', name: '5.7.1', set: set(2) };
    const error = { platform: 14, category: 'PROVIDER_ERROR', code: '0', name: 'timeout', set: set(4) };
    const value = { sent: [{ platform: 14, set: set(1, 2, 3) }], bounced: [bounce], failed: [error] };
    const outcomes = outcomesIn(
      SliceOutcome.fromPartial({ bucket: 3, variant: 'alert', outcome: { $case: 'settled', value } }),
    );
    const enqueue = (state = noDeliveries, of: readonly OutcomeDevices[] = outcomes) =>
      enqueueOutcomes(place, state, of, new Date(T0));
    const changes = enqueue();
    expect(enqueuedIn(changes)).toEqual([
      [DELIVERED, [1, 3], undefined],
      [BOUNCED, [2], undefined],
      [FAILED, [4], undefined],
    ]);
    expect(changes[2]).toMatchObject({
      value: {
        bucket: 3,
        at: [T0 / 1000],
        details: { category: 'PROVIDER_ERROR', code: '0', name: 'timeout', text: '' },
      },
    });
    const after = deliveryOf(deliveryDocument(place, changes.reduce(evolveDelivery, noDeliveries), new Date(T0)));
    expect(enqueue(after)).toEqual([]);
  });

  it('include no sent pushes, whose deliveries are reported by devices', () => {
    const sent = [{ platform: 1, set: Buffer.from(Bitmap.of([1]).encode()) }];
    expect(outcomesIn(SliceOutcome.fromPartial({ outcome: { $case: 'settled', value: { sent } } }))).toEqual([]);
  });
});
