import { beforeEach, describe, expect, it } from '@jest/globals';
import { MessageEvent, PlanEvent, SliceOutcome, SliceSettled, topicNames } from '@tidings/events';
import { Bitmap, Platform, sendIdOf } from '@tidings/kernel';
import type { WebhookCommand } from '../webhook-log.ts';
import { type Fact, Intake } from './fact-intake.ts';
import type { StoredMessage } from './message-store.ts';

const AT = new Date(Date.UTC(2026, 0, 15, 12));
const APPLICATION = 'AAAAA-BBBBB';
const set = Buffer.from(Bitmap.of([1]).encode());
const devices = { platform: Platform.iOS, hour: 0, set };

const factOf = (topic: Fact['topic'], value: unknown): Fact =>
  ({ topic, partition: 0, offset: 0, timestamp: 0, key: '', headers: {}, value }) as unknown as Fact;

const outcome = (message: string, number: number, bucket: number, settled: SliceSettled): Fact =>
  factOf(
    topicNames.outcomes,
    SliceOutcome.fromPartial({
      message,
      bucket,
      number,
      messageId: 7n,
      account: 'a',
      application: APPLICATION,
      chunk: 0,
      at: AT,
      platform: Platform.iOS,
      variant: 'alert',
      outcome: { $case: 'settled', value: settled },
    }),
  );

const sent = (message: string, number = 0, bucket = 0): Fact =>
  outcome(message, number, bucket, SliceSettled.fromPartial({ sent: [devices], claimedAt: AT }));

const failed = [{ ...devices, category: 'INTERNAL_ERROR', code: '0', name: 'application_deleted' }];

const ended = (message: string): Fact => outcome(message, 0, 0, SliceSettled.fromPartial({ failed, claimedAt: AT }));

const failing = (message: string): Fact =>
  factOf(
    topicNames.plans,
    PlanEvent.fromPartial({
      message,
      bucket: 0,
      messageId: 7n,
      account: 'a',
      application: APPLICATION,
      at: AT,
      event: { $case: 'chunk', value: { chunk: 0, failed } },
    }),
  );

const purged = (code: string, whole: boolean): Fact =>
  factOf(
    topicNames.messages,
    MessageEvent.fromPartial({
      code,
      id: 7n,
      account: 'a',
      at: AT,
      event: { $case: 'purged', value: { application: APPLICATION, whole } },
    }),
  );

describe('facts about an unknown message', () => {
  const time = { now: 0 };
  const known = new Set<string>();
  let submitted: WebhookCommand[];
  let intake: Intake;

  beforeEach(() => {
    time.now = 0;
    known.clear();
    submitted = [];
    intake = new Intake({
      subscriptions: { audience: async () => ({ has: () => true }) },
      messages: {
        keep: async () => undefined,
        find: async (ids) =>
          new Map([...ids].filter((id) => known.has(id)).map((id) => [id, { code: id } as unknown as StoredMessage])),
      },
      pending: { purge: async () => undefined },
      deferred: { purge: async () => undefined },
      sentValues: { erase: async () => ({}) },
      writer: {
        async submit(_log, command) {
          submitted.push(command);
        },
      },
      clock: { now: () => AT.getTime() },
      now: () => time.now,
    });
  });

  it('wait for it, with all that follow them, and are handled when it has arrived', async () => {
    known.add('known');
    const facts = [sent('known'), sent('late'), sent('known', 1)];
    expect(await intake.handle(facts)).toBe(1);
    time.now = 29_000;
    expect(await intake.handle(facts.slice(1))).toBe(0);
    known.add('late');
    expect(await intake.handle(facts.slice(1))).toBe(2);
    expect(submitted).toHaveLength(3);
  });

  it('wait once, for 30 s in all', async () => {
    const facts = Array.from({ length: 100 }, (_, number) => sent('gone', number));
    expect(await intake.handle(facts)).toBe(0);
    time.now = 30_001;
    expect(await intake.handle(facts)).toBe(100);
    expect(await intake.handle([sent('gone', 100)])).toBe(1);
    time.now = 1_800_000;
    expect(await intake.handle([sent('gone', 101)])).toBe(1);
    expect(await intake.handle([sent('another')])).toBe(0);
  });

  it('wait at the same time as those of other messages', async () => {
    const facts = ['M1', 'M2', 'M3'].map((message) => sent(message));
    expect(await intake.handle(facts)).toBe(0);
    time.now = 30_001;
    expect(await intake.handle(facts)).toBe(3);
  });

  it('wait for the content of each joined recipient', async () => {
    await intake.handle([sent('open', 0, 1)]);
    time.now = 30_001;
    expect(await intake.handle([sent('open', 0, 2)])).toBe(0);
    known.add(sendIdOf({ message: 'open', bucket: 2 }));
    expect(await intake.handle([sent('open', 0, 2)])).toBe(1);
  });

  it('do not wait if it was purged with its last application (R-B2)', async () => {
    await intake.handle([purged('M1', true), purged('M2', false)]);
    expect(await intake.handle([sent('M1'), sent('M1', 0, 3)])).toBe(2);
    expect(await intake.handle([sent('M2')])).toBe(0);
  });

  it('do not wait if their application was deleted, whichever process reports the purge', async () => {
    expect(await intake.handle([ended('M1'), ended('M2')])).toBe(2);
    expect(await intake.handle([failing('M3')])).toBe(1);
  });
});
