import { type Credit, creditsOf, type MessageOpen } from '@tidings/delivery';
import { collectionOf, createCollections } from '@tidings/mongo';
import { describeWithMongo, drawn } from '@tidings/testing';
import { activitiesModel } from '../storage/activities.schema.ts';
import { type Action, blockOf, dayOf } from './activity.ts';
import { openActivityStore } from './activity-store.ts';
import type { ActivityChange } from './facts.ts';

const DAY = 86_400;
const TODAY = 20_500;
const NOW = new Date((TODAY * DAY + DAY / 2) * 1000);
const MESSAGES = ['M1', 'M2', 'M3'];

type Fact = { readonly part: 'opens'; readonly row: MessageOpen } | { readonly part: 'events'; readonly row: Action };

const changeOf = (application: string, { part, row }: Fact): ActivityChange => {
  const key = { application, chunk: 0, block: blockOf(part, row.position), day: dayOf(row.second) };
  if (part === 'events') return { key, part, rows: [row] };
  const { message, platform, position, second } = row;
  return { key, part, opens: { message, platform, positions: [position], seconds: [second] } };
};
function sums(credits: readonly Credit[]): unknown[] {
  const bySum = Map.groupBy(credits, ({ message, position, name }) => `${message} ${position} ${name}`);
  return [...bySum]
    .map(([key, own]) => [
      key,
      own.reduce((sum, { hits }) => sum + hits, 0),
      own.reduce((sum, { revenue = 0 }) => sum + revenue, 0),
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

describeWithMongo('the activity store', (mongo) => {
  const open = async (name: string) => {
    const db = mongo.database(name);
    await createCollections(db, [activitiesModel]);
    const [store, ...others] = [openActivityStore(db), openActivityStore(db), openActivityStore(db)];
    const all = async () => (await Promise.all(MESSAGES.map((message) => store.creditsOf(message)))).flat();
    return { store, processes: [store, ...others], all, documents: collectionOf(db, activitiesModel) };
  };

  it('credits the same for facts in any order, repeated, and written by several processes at once', async () => {
    const { processes, all } = await open('orders');
    const { draw: random } = drawn('opens and events');
    for (let round = 0; round < 8; round++) {
      const at = (): number => (TODAY - 2) * DAY + Math.floor(random() * 2.5 * DAY);
      const device = (): number => Math.floor(random() * 6) * 700;
      const facts: Fact[] = Array.from({ length: 60 }, (_, i) =>
        i % 2 === 0
          ? {
              part: 'opens',
              row: { position: device(), platform: 1, message: MESSAGES[i % 3]!, second: at() },
            }
          : {
              part: 'events',
              row: {
                position: device(),
                second: at(),
                name: i % 3 === 0 ? 'Buy' : 'Look',
                amount: i % 5 === 0 ? i : undefined,
                commit: i,
                index: 0,
              },
            },
      );
      const shuffled = [...facts, ...facts].sort(() => random() - 0.5);
      const batches = Map.groupBy(shuffled.keys(), (i) => Math.floor(i / 9));
      const writes = [...batches.values()].map((indexes, batch) =>
        processes[batch % processes.length]!.apply(
          indexes.map((i) => changeOf(`APP-${round}`, shuffled[i]!)),
          NOW,
        ),
      );
      await Promise.all(writes);
      const rows = <Part extends Fact['part']>(part: Part) =>
        facts.filter((fact): fact is Extract<Fact, { part: Part }> => fact.part === part).map(({ row }) => row);
      const actions = (rows('events') as Action[]).toSorted((a, b) => a.second - b.second);
      const expected = creditsOf(rows('opens') as MessageOpen[], actions);
      const found = (await all()).filter(({ application }) => application === `APP-${round}`);
      expect(sums(found)).toEqual(sums(expected));
      expect(expected.length).toBeGreaterThan(3);
    }
  });

  it('removes opens and events after days, keeps credits for a year, and ignores late facts', async () => {
    const { store, all, documents } = await open('retention');
    const second = TODAY * DAY + 100;
    const opened = (at: number, message = 'M1'): Fact => ({
      part: 'opens',
      row: { position: 1, platform: 1, message, second: at },
    });
    const done = (at: number, commit: number, position = 1): Fact => ({
      part: 'events',
      row: { position, second: at, name: 'Buy', amount: 2, commit, index: 0 },
    });
    const apply = (facts: readonly Fact[], at: Date) =>
      store.apply(
        facts.map((fact) => changeOf('APP', fact)),
        at,
      );
    const later = (days: number): Date => new Date(NOW.getTime() + days * DAY * 1000);
    await apply([opened(second), done(second + 5, 1), done(second + 5, 2, 1300)], NOW);
    const credit = { message: 'M1', hits: 1, revenue: 2, application: 'APP', chunk: 0 };
    expect(await all()).toMatchObject([credit]);
    await store.expire(later(8.9));
    expect(await documents.countDocuments({ closed: true })).toBe(0);
    await store.expire(later(9.1));
    const stored = await documents.find().sort({ _id: 1 }).toArray();
    expect(stored.map(({ opens, events, closed }) => [opens?.rows.length(), events?.rows.length(), closed])).toEqual([
      [0, 0, true],
      [0, 0, true],
      [0, 0, true],
    ]);
    await apply([done(second + 9, 3), opened(second + 1, 'M2')], later(9.2));
    expect(await all()).toMatchObject([credit]);
    await store.expire(later(14));
    expect(await documents.countDocuments()).toBe(1);
    await store.expire(later(365));
    expect(await all()).toMatchObject([credit]);
    await store.expire(later(367));
    expect(await documents.countDocuments()).toBe(0);
  });

  it('removes the data of applications', async () => {
    const { store, documents } = await open('forgotten');
    const row = { position: 1, platform: 1, message: 'M1', second: TODAY * DAY };
    await store.apply(
      ['AAAAA-00000', 'AAAAA-00001'].map((application) => changeOf(application, { part: 'opens', row })),
      NOW,
    );
    await store.forget(['AAAAA-00000']);
    expect((await documents.find().toArray()).map(({ _id }) => _id)).toEqual([`AAAAA-00001/0/opens/${TODAY}/0`]);
  });
});
