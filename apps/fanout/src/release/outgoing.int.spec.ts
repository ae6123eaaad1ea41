import { expect, it } from '@jest/globals';
import { Content } from '@tidings/events';
import { ShiftedClock } from '@tidings/kernel';
import { OUTGOING } from '@tidings/registry-store';
import { named } from '@tidings/registry-store/testing';
import { describeWithMongo } from '@tidings/testing';
import { eventsOf, newMessage } from '../testing/fanout-messages.ts';
import { OutgoingMessages } from './outgoing.ts';

describeWithMongo('messages of the fan-out', (mongo) => {
  it('are released by an event that is not stored yet', async () => {
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(mongo.database('registry'), clock);
    const message = newMessage({ audience: named(0) });
    const [accepted, released] = eventsOf(message, new Date(clock.now()));
    await outgoing.store([accepted!]);
    expect(await outgoing.released([released!])).toMatchObject([{ message: message.code, releasedAt: released!.at }]);
  });

  it('are not released before they are accepted', async () => {
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(mongo.database('registry'), clock);
    const [, released] = eventsOf(newMessage({ audience: named(0) }), new Date(clock.now()));
    expect(await outgoing.released([released!])).toEqual([]);
  });

  it('are stored in the same state, with the release or before it, and by repeats', async () => {
    const db = mongo.database('registry');
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(db, clock);
    const [together, apart] = [newMessage({ audience: named(0) }), newMessage({ audience: named(0) })];
    const at = new Date(clock.now());
    await outgoing.store([...eventsOf(together, at), ...eventsOf(together, at)]);
    for (const event of [...eventsOf(apart, at), ...eventsOf(apart, at)]) await outgoing.store([event]);
    const stored = ({ code }: typeof apart) =>
      db.collection<{ _id: string }>(OUTGOING).findOne({ _id: code }, { projection: { _id: 0, id: 0 } });
    expect(await stored(together)).toMatchObject({
      acceptedAt: at,
      releasedAt: at,
      checkAt: expect.anything() as unknown,
    });
    expect(await stored(together)).toEqual(await stored(apart));
  });

  it('are in memory up to 64 MiB of contents, the newest ones', async () => {
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(mongo.database('registry'), clock);
    const attachments = [{ name: 'bill.pdf', content: Buffer.alloc(2 * 1024 * 1024) }];
    const content = Content.fromPartial({ email: { attachments } });
    const messages = Array.from({ length: 40 }, () => newMessage({ audience: named(0), content }));
    const codes = messages.map(({ code }) => code);
    // None of them is stored.
    for (const message of messages) await outgoing.released(eventsOf(message, new Date(clock.now())));
    // 31 of them: each takes some bytes more than 2 MiB.
    expect([...(await outgoing.find(codes)).keys()]).toEqual(codes.slice(-31));
  });
});
