import { expect, it } from '@jest/globals';
import { MessageAccepted, MessageEvent } from '@tidings/events';
import { describeWithMongo } from '@tidings/testing';
import { messagesModel } from './facts.schema.ts';
import { openMessages } from './message-store.ts';

const messageOf = (_id: string, expireAt: Date, accepted: Uint8Array = Buffer.alloc(0)) => ({
  _id,
  id: 1,
  account: 'a',
  accepted,
  expireAt,
});

describeWithMongo('the messages stored by webhooks', (mongo) => {
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

  it('are stored without attachments, which no event contains', async () => {
    const attachments = [{ name: 'bill.pdf', content: Buffer.alloc(1000, 'x') }];
    const subject = { entries: [{ language: 'default', text: 'Your bill' }] };
    const accepted = MessageAccepted.fromPartial({ content: { email: { subject, attachments } } });
    const event = MessageEvent.fromPartial({
      code: 'M3',
      id: 3n,
      account: 'a',
      at: new Date(),
      event: { $case: 'accepted', value: accepted },
    });
    const messages = openMessages(mongo.db);
    await messages.keep([event]);
    const kept = (await messages.find(['M3'])).get('M3')?.accepted.content?.email;
    expect(kept?.subject).toEqual(subject);
    expect(kept?.attachments).toEqual([]);
  });

  it('are in memory up to 32 MiB, the newest ones first', async () => {
    const mebibyte = 'x'.repeat(1024 * 1024);
    const accepted = MessageAccepted.encode(MessageAccepted.fromPartial({ conditions: mebibyte })).finish();
    const stored = mongo.db.collection<{ _id: string }>(messagesModel.name);
    const ids = Array.from({ length: 40 }, (_, i) => `L${i}`);
    for (const id of ids) await stored.insertOne(messageOf(id, new Date(Date.now() + 60_000), accepted));
    const messages = openMessages(mongo.db);
    for (const id of ids) expect((await messages.find([id])).size).toBe(1);
    await stored.deleteMany({ _id: { $in: ids } });
    expect([...(await messages.find(ids)).keys()]).toEqual(ids.slice(-31));
  });
});
