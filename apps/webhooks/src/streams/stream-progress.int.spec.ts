import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type CommitReader, type CountingLogWriter, openCommits, openLogs } from '@tidings/event-store';
import { SubscriptionSettings, type WebhookEvent } from '@tidings/events';
import { Bitmap, randomBase62 } from '@tidings/kernel';
import { describeWithMongo, LONG_TIMEOUT, TestClock } from '@tidings/testing';
import type { Db } from 'mongodb';
import { type WebhookCommand, webhooksLog, webhooksLogOf } from '../webhook-log.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { openProgress, type ProgressStore } from './stream-progress.ts';
import { COMMITS_KEPT_MS } from './unacked.ts';

type Writer = CountingLogWriter<WebhookCommand, Subscription | undefined>;

const log = webhooksLogOf('a');
const settings = SubscriptionSettings.fromPartial({ endpoint: 'grpc://x', events: ['Push Sent'], enabled: true });
const nobody = new Set<string>();

describeWithMongo('the progress of streams', (mongo) => {
  /** Two processes; the clock of the other one is slow. */
  const clock = new TestClock();
  const slowClock = new TestClock(new Date(clock.now() - 20_000));
  let db: Db;
  let commits: CommitReader<WebhookEvent>;
  let writer: Writer;
  let slow: Writer;
  let progress: ProgressStore;

  beforeEach(() => {
    db = mongo.database(randomBase62(6));
    writer = openLogs(db, webhooksLog, { clock, ...LONG_TIMEOUT });
    slow = openLogs(db, webhooksLog, { clock: slowClock, ...LONG_TIMEOUT });
    commits = openCommits(db, webhooksLog);
    progress = openProgress(db, commits);
  });
  afterEach(() => Promise.all([writer.close(), slow.close()]));

  const command = (kind: 'create' | 'delete', id: string): Promise<Subscription | undefined> =>
    writer.submit(log, { kind, settings, account: 'a', id, at: clock.date });
  const sent = (by: Writer, position: number, at = clock.date) =>
    by.submit(log, {
      kind: 'outcomes',
      at,
      others: [],
      sent: [{ bucket: 0, platform: 1, variant: 'alert', slice: 0, devices: Bitmap.of([position]) }],
      unit: { account: 'a', message: 'M', messageId: 1n, application: 'A', chunk: 0 },
    });

  it('begins after the creation of the subscription, despite clock differences', async () => {
    await sent(writer, 1);
    await sent(slow, 2, slowClock.date);
    const made = (await command('create', 's'))!;
    await sent(slow, 3, slowClock.date);
    await sent(writer, 4);
    expect(await progress.claim(made, 'me', nobody)).toEqual({ next: { n: 4, e: 0, d: 0 }, open: [] });
  });

  it('begins with the oldest remaining commit, if the creation of the subscription has been removed', async () => {
    await sent(writer, 1);
    const made = (await command('create', 's'))!;
    await sent(writer, 2);
    for (const each of [clock, slowClock]) each.advance(COMMITS_KEPT_MS / 1000);
    const removedBefore = clock.date;
    await sent(writer, 3);
    // More than are read at once.
    for (let position = 4; position < 110; position++) await sent(writer, position);
    await db.collection(`${webhooksLog.category}.commits`).deleteMany({ at: { $lt: removedBefore } });
    const { next } = (await progress.claim(made, 'me', nobody))!;
    const left = await commits.after(log, next.n - 1, 1);
    expect(left.map(({ position }) => position)).toEqual([4]);
  });

  it('begins after the newest commit, if the creation of the subscription is not readable yet', async () => {
    await sent(writer, 1);
    const made: Subscription = { id: 's', account: 'a', createdAt: clock.date, since: clock.date, settings };
    expect(await progress.claim(made, 'me', nobody)).toEqual({ next: { n: 2, e: 0, d: 0 }, open: [] });
  });

  it('has one owner at a time, and only the owner writes it', async () => {
    const made = (await command('create', 's'))!;
    const reached = {
      next: { n: 9, e: 1, d: 7 },
      open: [{ n: 3, e: 0, d: 499, failures: 5, strikes: 2, at: clock.now() }],
    };
    await progress.claim(made, 'me', nobody);
    expect(await progress.save('s', 'me', reached)).toBe(true);
    expect(await progress.claim(made, 'you', new Set(['me']))).toBeUndefined();
    expect(await progress.claim(made, 'you', nobody)).toEqual(reached);
    expect(await progress.save('s', 'me', { ...reached, open: [] })).toBe(false);
    await progress.release('s', 'me');
    expect(await progress.owners(['s'])).toEqual(new Map([['s', 'you']]));
    await progress.release('s', 'you');
    expect(await progress.owners(['s'])).toEqual(new Map());
    expect(await progress.claim(made, 'me', nobody)).toEqual(reached);
  });

  it('restarts after the subscription was disabled in between', async () => {
    const made = (await command('create', 's'))!;
    await progress.claim(made, 'me', nobody);
    await progress.save('s', 'me', {
      next: { n: 2, e: 0, d: 0 },
      open: [{ n: 1, e: 0, d: 0, failures: 0, strikes: 0, at: 0 }],
    });
    clock.advance(1);
    const change = (enabled: boolean) =>
      writer.submit(log, { kind: 'change', account: 'a', id: 's', at: clock.date, patch: { enabled } });
    await change(false);
    clock.advance(1);
    const enabled = (await change(true))!;
    await sent(writer, 1);
    expect(await progress.claim(enabled, 'me', nobody)).toEqual({ next: { n: 4, e: 0, d: 0 }, open: [] });
  });

  it('is removed without an owner and a subscription', async () => {
    const [kept, owned, gone] = [
      await command('create', 'kept'),
      await command('create', 'owned'),
      await command('create', 'gone'),
    ];
    for (const made of [kept, owned, gone]) await progress.claim(made!, made!.id === 'owned' ? 'you' : 'me', nobody);
    await progress.removeExcept(['kept'], ['you']);
    expect([...(await progress.owners(['kept', 'owned', 'gone'])).keys()].toSorted()).toEqual(['kept', 'owned']);
  });
});
