import { Conversion, facts, topicNames } from '@tidings/events';
import { openStatistics, type StatisticsService } from '@tidings/statistics';
import { consume } from '@tidings/streaming';
import { type Broadcast, broadcast, publishAll } from '../lib/broadcast.ts';
import { type Parts, total, usedBetween } from '../lib/parts.ts';
import { untilSteady } from '../lib/rounds.ts';
import { expectFigures, openDeps } from '../lib/service-deps.ts';

/** G4's three consumers in turn, on a broadcast to 393,000 devices. Prints {@link Round}s. */
const { client, deps, cpu, caughtUp, finish } = await openDeps();
const { broker } = deps;

/** CPU microseconds per event, of this process and of MongoDB. */
export interface Round {
  readonly parsing: ByKind;
  readonly projecting: ByKind;
  readonly updating: Parts;
}

export interface ByKind {
  readonly all: Parts;
  /** Per device in a slice, sent or failed. */
  readonly sends: Parts;
  /** Per delivery or open. */
  readonly reports: Parts;
}

const BROADCASTS = 1;
/** Reports arrive for half a day. */
const AGO_MS = 12 * 3_600_000;
/** Reports of each partition that are written one by one. */
const UPDATES = 200;

const readers = {
  [topicNames.messages]: facts.messages,
  [topicNames.plans]: facts.plans,
  [topicNames.outcomes]: facts.outcomes,
  [topicNames.reports]: facts.reports,
} as const;
const reportsTopic = topicNames.reports;
const otherTopics = Object.keys(readers).filter((topic) => topic !== reportsTopic);

const readModels = client.db('statistics');
const counters = client.db('counters').collection<{ _id: string }>('counters');

const project = (): Promise<StatisticsService> => openStatistics({ ...deps, db: readModels });

/** No broadcast has conversions. */
const parse = () =>
  consume(broker, {
    group: 'parsing',
    maxRecords: 20_000,
    topics: { ...readers, [topicNames.conversions]: Conversion },
    handler: async () => {},
  });

/** An update per report; it counts redelivered reports twice. */
async function update(): Promise<{ readonly count: () => number; readonly stop: () => Promise<void> }> {
  let updates = 0;
  const subscription = await consume(broker, {
    group: 'updating',
    topics: { [reportsTopic]: facts.reports },
    from: 'latest',
    async handler(records) {
      for (const { key, value } of records) {
        const document = { _id: `${key}/${value.platforms[0]}` };
        await counters.updateOne(document, { $inc: { [`stage${value.kind}`]: 1 } }, { upsert: true });
        updates++;
      }
    },
  });
  return { count: () => updates, stop: () => subscription.stop() };
}

async function publish(broadcasts: readonly Broadcast[]): Promise<void> {
  for (const topic of Object.keys(readers))
    await publishAll(broker, topic, ...broadcasts.map(({ records }) => records.get(topic)!));
  // Pending writes of the server must not be measured.
  await client.db('admin').command({ fsync: 1 });
}

/** The newest records, at most `most` in each partition. */
async function feed(group: string, names: readonly string[], most = Infinity): Promise<void> {
  for (const { topic, partition, end } of await broker.lag(group))
    if (names.includes(topic)) await broker.seek(group, topic, partition, Math.max(0, end - most));
  await caughtUp(group);
}

interface Published {
  readonly sends: number;
  readonly reports: number;
  readonly broadcasts: readonly Pick<Broadcast, 'message' | 'figures'>[];
}

async function publishBroadcasts(): Promise<Published> {
  const broadcasts = Array.from({ length: BROADCASTS }, (_, i) =>
    broadcast(new Date(Date.now() - AGO_MS), BigInt(i + 1)),
  );
  await publish(broadcasts);
  const figures = broadcasts.flatMap((one) => one.figures);
  return {
    sends: figures.reduce((sum, { sends, errors }) => sum + sends + errors, 0),
    reports: figures.reduce((sum, { deliveries, opens }) => sum + deliveries + opens, 0),
    // Drops the records, which would slow down every garbage collection.
    broadcasts: broadcasts.map(({ message, figures: own }) => ({ message, figures: own })),
  };
}

async function consumed(group: string, { sends, reports }: Published): Promise<ByKind> {
  const looks = [cpu()];
  await feed(group, otherTopics);
  looks.push(cpu());
  await feed(group, [reportsTopic]);
  looks.push(cpu());
  const [start, middle, end] = looks as [Parts, Parts, Parts];
  return {
    all: usedBetween(start, end, sends + reports),
    sends: usedBetween(start, middle, sends),
    reports: usedBetween(middle, end, reports),
  };
}

async function parsing(published: Published): Promise<ByKind> {
  const subscription = await parse();
  await caughtUp('parsing');
  const used = await consumed('parsing', published);
  await subscription.stop();
  return used;
}

async function projecting(published: Published): Promise<ByKind> {
  await readModels.dropDatabase();
  const service = await project();
  await caughtUp('statistics');
  const used = await consumed('statistics', published);
  for (const each of published.broadcasts) await expectFigures(service, each);
  await service.close();
  return used;
}

async function updating(): Promise<Parts> {
  const { count, stop } = await update();
  const before = cpu();
  await feed('updating', [reportsTopic], UPDATES);
  const used = usedBetween(before, cpu(), count());
  await stop();
  return used;
}

/** Without the revisions that every write increments. */
async function readModelsText(): Promise<string> {
  const collections = await readModels.collections();
  const documents = await Promise.all(collections.map((one) => one.find().sort({ _id: 1 }).toArray()));
  return JSON.stringify(documents, (name, value: unknown) => (name === 'rev' ? undefined : value));
}

/** @throws if redelivering everything changes anything */
async function expectRedeliverySafe(published: Published): Promise<void> {
  const before = await readModelsText();
  const service = await project();
  await feed('statistics', Object.keys(readers));
  for (const each of published.broadcasts) await expectFigures(service, each);
  await service.close();
  if ((await readModelsText()) !== before) throw new Error('delivering everything again has changed the read models');
}

const published = await publishBroadcasts();
const round = async (): Promise<Round> => ({
  parsing: await parsing(published),
  projecting: await projecting(published),
  updating: await updating(),
});
await round();
const rounds = await untilSteady(round, (each) => total(each.parsing.all) / total(each.projecting.all), { most: 5 });
await expectRedeliverySafe(published);
await finish(rounds);
