import { describe, expect, it } from '@jest/globals';
import { Bitmap } from '@tidings/kernel';
import fc from 'fast-check';
import type { ChunkStages } from './figures.ts';
import { funnelOf, metricsOf } from './funnel.ts';
import { type HourSets, hourOf, noHours } from './hour-sets.ts';
import { noInbox } from './testing/no-inbox.ts';

const RELEASED = new Date('2026-03-01T10:20:30Z');
const HOUR = hourOf(RELEASED);
const later = (hours: number): Date => new Date(RELEASED.getTime() + hours * 3_600_000);

const chunkOf = (platform: number, inbox: Partial<ChunkStages['inbox']>): ChunkStages => ({
  platform,
  eligible: Bitmap.empty,
  excluded: new Map(),
  failed: [],
  notDisplayable: Bitmap.empty,
  sent: noHours,
  delivered: noHours,
  opened: noHours,
  inbox: { ...noInbox, ...inbox },
});

/** 0 = not listed, 1 = listed, 2 = read, 3 = opened. */
const histories = fc.array(
  fc.record({ platform: fc.constantFrom(1, 3), excluded: fc.boolean(), steps: fc.nat(3), atHour: fc.nat(100) }),
  { maxLength: 100 },
);

const inHours = (events: readonly { position: number; atHour: number }[]): HourSets =>
  new Map(
    [...Map.groupBy(events, ({ atHour }) => HOUR + atHour)].map(([hour, own]) => [
      hour,
      Bitmap.of(own.map(({ position }) => position)),
    ]),
  );

describe('the App Inbox funnel (R-H10, R-H20)', () => {
  it('has stages that never grow, each with the devices that reached it', () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        const devices = drawn.map((history, position) => ({ ...history, position }));
        const stages = [1, 3].map((platform) => {
          const own = devices.filter((device) => device.platform === platform);
          const eligible = own.filter(({ excluded }) => !excluded);
          const upTo = (steps: number): HourSets => inHours(eligible.filter((device) => device.steps >= steps));
          return chunkOf(platform, {
            eligible: Bitmap.of(eligible.map(({ position }) => position)),
            excluded: new Map([
              ['CONTROL_GROUP', Bitmap.of(own.filter(({ excluded }) => excluded).map(({ position }) => position))],
            ]),
            reached: upTo(1),
            read: upTo(2),
            opened: upTo(3),
            entriesOpened: upTo(3),
          });
        });
        const { channels } = funnelOf(stages, RELEASED, later(200), []);
        if (devices.length === 0) return expect(channels).toEqual([]);
        const counts = channels[0]!.funnel.map(({ stage, total }) => [stage, total.count]);
        const eligible = devices.filter(({ excluded }) => !excluded);
        const went = (steps: number): number => eligible.filter((device) => device.steps >= steps).length;
        expect(counts).toEqual([
          ['STAGE_AUDIENCE', devices.length],
          ['STAGE_SENT', eligible.length],
          ['STAGE_ERRORS', 0],
          ['STAGE_REACHED', went(1)],
          ['STAGE_READ', went(2)],
          ['STAGE_OPENED', went(3)],
        ]);
        const opens = metricsOf(stages).reduce((sum, { inboxOpens }) => sum + inboxOpens, 0);
        expect(opens).toBe(went(3));
      }),
    );
  });

  it('is the last channel, in the basic form, and missing without an audience', () => {
    const both = { ...chunkOf(1, { eligible: Bitmap.of([1]) }), eligible: Bitmap.of([1]) };
    const { channels } = funnelOf([both], RELEASED, later(1), []);
    expect(channels.map(({ channel }) => channel)).toEqual(['CHANNEL_MOBILE_PUSH', 'CHANNEL_APP_INBOX']);
    expect(channels[1]).toMatchObject({
      deliveriesForm: 'DELIVERIES_FORM_BASIC',
      basicFormReason: 'BASIC_FORM_REASON_NOT_APPLICABLE',
    });
    expect(funnelOf([both], RELEASED, later(1), [3]).channels).toEqual([]);
    expect(funnelOf([{ ...both, inbox: noInbox }], RELEASED, later(1), []).channels).toHaveLength(1);
  });

  it('counts rows inside the window only, and confirmed deliveries always (R-H16, R-H17)', () => {
    const reached = inHours([{ position: 1, atHour: 31 * 24 }]);
    const [channel] = funnelOf(
      [chunkOf(1, { eligible: Bitmap.of([1]), reached })],
      RELEASED,
      later(32 * 24),
      [],
    ).channels;
    expect(channel!.confirmedDeliveries.count).toBe(1);
    expect(channel!.funnel.find(({ stage }) => stage === 'STAGE_REACHED')!.total.count).toBe(0);
  });
});
