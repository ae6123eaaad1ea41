import { expect, it } from '@jest/globals';
import { ShiftedClock } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { outgoingModel } from '@tidings/registry-store';
import { named } from '@tidings/registry-store/testing';
import { describeWithMongo } from '@tidings/testing';
import { OutgoingMessages } from '../release/outgoing.ts';
import { eventsOf, newMessage } from '../testing/fanout-messages.ts';
import { PacedMessages } from './paced-messages.ts';

describeWithMongo('open messages with a send rate', (mongo) => {
  it('are paced for each account in turn, and no longer once nothing of them is open', async () => {
    const db = mongo.database('registry');
    await createCollections(db, [outgoingModel]);
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(db, clock);
    const paced = new PacedMessages(db);
    const [first, second, third, ofOther] = Array.from({ length: 4 }, () =>
      newMessage({ audience: named(0), sendRate: 100 }),
    );
    const at = new Date(clock.now());
    for (const message of [first!, second!, third!]) await outgoing.store(eventsOf(message, at));
    await outgoing.store(eventsOf(ofOther!, at).map((event) => ({ ...event, account: 'other' })));
    const next = async (...of: Parameters<PacedMessages['nextByAccount']>): Promise<string[]> =>
      (await paced.nextByAccount(...of)).map(({ code }) => code);
    expect(await next(2)).toEqual([first!.code, ofOther!.code]);
    expect(await next(9)).toEqual([first, ofOther, second, third].map((message) => message!.code));
    expect(await next(2, ({ code }) => code === first!.code)).toEqual([second!.code, ofOther!.code]);
    await outgoing.reschedule(new Map([[first!.code, undefined]]));
    expect(await next(2)).toEqual([second!.code, ofOther!.code]);
  });

  it('are found for every account, however many another one has', async () => {
    const db = mongo.database('many');
    await createCollections(db, [outgoingModel]);
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(db, clock);
    const paced = new PacedMessages(db);
    const at = new Date(clock.now());
    const release = async (account: string, count: number): Promise<string[]> => {
      const messages = Array.from({ length: count }, () => newMessage({ audience: named(0), sendRate: 100 }));
      const events = messages.flatMap((message) => eventsOf(message, at));
      await outgoing.store(events.map((event) => ({ ...event, account })));
      return messages.map(({ code }) => code);
    };
    const [few, many, last] = [await release('a', 600), await release('b', 1_200), await release('c', 2)];
    const firstTwo = [0, 1].flatMap((round) => [few, many, last].map((codes) => codes[round]));
    const next = async (limit: number): Promise<string[]> => (await paced.nextByAccount(limit)).map(({ code }) => code);
    expect(await next(6)).toEqual(firstTwo);
    const found = new Set(await next(10_000));
    const read = [few, many, last].map((codes) => codes.filter((code) => found.has(code)));
    expect(read).toEqual([few, many.slice(0, 1_000), last]);
  });
});
