import { expect, it } from '@jest/globals';
import { registerOwner, unregisterOwner, ownIdentity } from '@tidings/coordination';
import { describeWithMongo } from '@tidings/testing';
import { type PresenceDocument, presenceIn } from './presence.ts';

const LENGTH_MS = 1_000;
const HOUR_MS = 3_600_000;

describeWithMongo('the presence of owners', (mongo) => {
  let collections = 0;
  const open = () => {
    let [steady, wall] = [0, 1_000_000];
    const clock = { steady: () => steady, now: () => wall, trusted: () => wall };
    const owners = mongo.db.collection<PresenceDocument>(`owners${++collections}`);
    const presence = presenceIn(owners, { lengthMs: LENGTH_MS, clock });
    return {
      owners,
      presence,
      renew: (id: string) => presence.renew({ id }, wall + LENGTH_MS),
      alive: async (ids?: string[]) => [...(await presence.alive(ids))].toSorted(),
      pass: (ms: number) => {
        steady += ms;
        wall += ms;
      },
      set: (ms: number) => void (wall += ms),
    };
  };

  it('lasts from renewal to renewal, or until it is ended', async () => {
    const { presence, renew, alive, pass } = open();
    await Promise.all(['a', 'b'].map(renew));
    expect(await alive()).toEqual(['a', 'b']);
    pass(LENGTH_MS - 1);
    await renew('b');
    expect(await alive()).toEqual(['a', 'b']);
    pass(2);
    expect(await alive()).toEqual(['b']);
    expect(await alive(['a', 'b', 'c'])).toEqual(['b']);
    await presence.end(['b', 'c']);
    expect(await alive()).toEqual([]);
  });

  it('neither ends nor lasts longer because a clock is set', async () => {
    const { renew, alive, pass, set } = open();
    await renew('a');
    expect(await alive()).toEqual(['a']);
    set(HOUR_MS);
    pass(LENGTH_MS / 2);
    expect(await alive()).toEqual(['a']);
    await renew('a');
    expect(await alive()).toEqual(['a']);
    set(-2 * HOUR_MS);
    await renew('a');
    pass(LENGTH_MS / 2);
    expect(await alive()).toEqual(['a']);
    set(-HOUR_MS);
    pass(LENGTH_MS / 2 + 1);
    expect(await alive()).toEqual(['a']);
    pass(LENGTH_MS / 2);
    expect(await alive()).toEqual([]);
  });

  it('ends with a process that is known to have ended', async () => {
    const own = ownIdentity();
    if (!own) return;
    const { presence, alive } = open();
    await presence.renew(registerOwner('here'), 1_000);
    await presence.renew({ id: 'elsewhere', process: { ...own, space: 'elsewhere' } }, 1_000);
    await presence.renew({ id: 'ended', process: { ...own, startedAt: '1' } }, 1_000);
    expect(await alive()).toEqual(['elsewhere', 'here']);
    unregisterOwner('here');
    expect(await alive()).toEqual(['elsewhere']);
  });

  it('is removed some time after its end', async () => {
    const { owners, presence, renew, pass } = open();
    await renew('old');
    pass(10);
    await renew('young');
    pass(LENGTH_MS + HOUR_MS);
    await presence.forget(HOUR_MS);
    expect((await owners.find().toArray()).map(({ _id }) => _id)).toEqual(['young']);
  });
});
