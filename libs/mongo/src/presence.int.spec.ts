import { expect, it } from '@jest/globals';
import { beginOwner, endOwner, ownIdentity } from '@tidings/coordination';
import { describeWithMongo } from '@tidings/testing';
import { type PresenceDocument, presenceIn } from './presence.ts';

describeWithMongo('the presence of owners', (mongo) => {
  let collections = 0;
  const open = () => {
    const owners = mongo.db.collection<PresenceDocument>(`owners${++collections}`);
    return { owners, presence: presenceIn(owners) };
  };

  it('lasts until the latest time that was said, or until it is ended', async () => {
    const { presence } = open();
    await presence.renew({ id: 'a' }, 1_000);
    await presence.renew({ id: 'b' }, 2_000);
    await presence.renew({ id: 'b' }, 1_500);
    expect([...(await presence.alive(999))].toSorted()).toEqual(['a', 'b']);
    expect([...(await presence.alive(1_999))]).toEqual(['b']);
    expect([...(await presence.alive(2_000))]).toEqual([]);
    expect([...(await presence.alive(0, ['a', 'c']))]).toEqual(['a']);
    await presence.end(['a', 'c']);
    expect([...(await presence.alive(0))]).toEqual(['b']);
  });

  it('ends with a process that is known to have ended', async () => {
    const own = ownIdentity();
    if (!own) return;
    const { presence } = open();
    await presence.renew(beginOwner('here'), 1_000);
    await presence.renew({ id: 'elsewhere', process: { ...own, space: 'elsewhere' } }, 1_000);
    await presence.renew({ id: 'ended', process: { ...own, startedAt: '1' } }, 1_000);
    expect([...(await presence.alive(0))].toSorted()).toEqual(['elsewhere', 'here']);
    endOwner('here');
    expect([...(await presence.alive(0))]).toEqual(['elsewhere']);
  });

  it('is forgotten where it was over before a time', async () => {
    const { owners, presence } = open();
    await presence.renew({ id: 'old' }, 1_000);
    await presence.renew({ id: 'young' }, 2_000);
    await presence.forget(2_000);
    expect((await owners.find().toArray()).map(({ _id }) => _id)).toEqual(['young']);
  });
});
