import { expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import { messagesModel } from '../storage/webhooks.schema.ts';
import { openMessages } from './known-messages.ts';

const messageOf = (_id: string, expireAt: Date) => ({ _id, id: 1, account: 'a', accepted: Buffer.alloc(0), expireAt });

describeWithMongo('the messages that webhooks know', (mongo) => {
  it('are removed after their expiry, and leave no open cursor in the client', async () => {
    const stored = mongo.db.collection<{ _id: string }>(messagesModel.name);
    const [before, now, after] = [1, 2, 3].map((second) => new Date(second * 1000)) as [Date, Date, Date];
    await stored.insertMany([messageOf('M1', before), messageOf('M2', after)]);
    const { activeCursors } = (mongo.client as unknown as { readonly s: { readonly activeCursors: Set<unknown> } }).s;
    const open = activeCursors.size;
    const messages = openMessages(mongo.db);
    for (let i = 0; i < 3; i++) await messages.removeExpired(now);
    expect(await stored.distinct('_id')).toEqual(['M2']);
    expect(activeCursors.size).toBe(open);
  });
});
