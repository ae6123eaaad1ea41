import { expect, it } from '@jest/globals';
import { ShiftedClock } from '@tidings/kernel';
import { describeWithMongo } from '@tidings/testing';
import { eventsOf, named, newMessage } from '../testing/fanout-messages.ts';
import { OutgoingMessages } from './outgoing.ts';

describeWithMongo('messages of the fan-out', (mongo) => {
  it('are released by an event that is not stored yet', async () => {
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(mongo.database('registry'), clock);
    const message = newMessage({ audience: named(0) });
    const [accepted, released] = eventsOf(message, new Date(clock.now()));
    await outgoing.keep([accepted!]);
    expect(await outgoing.released([released!])).toMatchObject([{ message: message.code, releasedAt: released!.at }]);
  });

  it('are not released before they are accepted', async () => {
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(mongo.database('registry'), clock);
    const [, released] = eventsOf(newMessage({ audience: named(0) }), new Date(clock.now()));
    expect(await outgoing.released([released!])).toEqual([]);
  });
});
