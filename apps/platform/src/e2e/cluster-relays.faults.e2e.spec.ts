import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ProcessIdentity } from '@tidings/coordination';
import { MessageEvent, PlanEvent, type Stamp, topicNames } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import {
  casesOf,
  type ClusterWorld,
  type Population,
  POPULATION_TIMEOUT_MS,
  populatedCluster,
  drawn,
  everythingOn,
  Load,
  runFaultScenario,
} from '@tidings/testing';
import { type Binary, MongoClient } from 'mongodb';

const { seed, draw } = drawn('kills of relays');

jest.setTimeout(POPULATION_TIMEOUT_MS);

interface StampedEvent {
  readonly stamp?: Stamp | undefined;
  readonly event?: { readonly $case: string } | undefined;
}

/** The relays: topic, source and process. */
const relays = [
  {
    ...{ service: 'registry', database: 'tidings_registry', category: 'devices', topic: topicNames.devices },
    decode: (bytes: Uint8Array): StampedEvent => DeviceEvent.decode(bytes),
  },
  {
    ...{ service: 'scheduler', database: 'tidings_scheduler', category: 'messages', topic: topicNames.messages },
    decode: (bytes: Uint8Array): StampedEvent => MessageEvent.decode(bytes),
  },
  {
    ...{ service: 'fanout', database: 'tidings_registry', category: 'plans', topic: topicNames.plans },
    decode: (bytes: Uint8Array): StampedEvent => PlanEvent.decode(bytes),
  },
];

/** Events that are not published. */
const kept = new Set<string | undefined>(['keyUsed', 'batchApplied']);

interface CommitDocument {
  readonly _id: { readonly log: string; readonly position: number };
  readonly events: readonly Binary[];
}

describe('the other process takes over from one that dies with a relay in its hands', () => {
  let world: ClusterWorld;
  let population: Population;
  let mongo: MongoClient;
  let round = 0;
  beforeAll(async () => {
    ({ world, population } = await populatedCluster());
    mongo = await MongoClient.connect(world.cluster.mongoUrl);
  }, 600_000);
  afterAll(async () => {
    await mongo?.close();
    await world?.stop();
  });

  it.each(casesOf(relays, 1, draw).map((relay) => [relay.service, relay] as const))(
    '%s: nothing is lost, and nothing comes after what followed it',
    async (service, { database, category, topic, decode }) => {
      const leases = mongo.db(database).collection<{ _id: string; process: ProcessIdentity }>('leases');
      const load = { is: undefined as Load | undefined };
      const broken = await runFaultScenario(world, population, {
        round: ++round,
        title: `the process of ${service} killed that publishes ${category}`,
        share: 0.6 * draw(),
        async inject() {
          load.is = new Load(world, population.applications[0]!, population.named(10));
          await load.is.under();
          const { process } = (await leases.findOne({ _id: `relay/${category}` }))!;
          const holder = world.cluster.of(service).find((member) => member.alive() && member.pid === process.pid)!;
          await holder.kill();
          await world.cluster.start([holder]);
          await load.is.stop();
        },
        seed,
      });
      expect([...broken, ...(await load.is!.broken())]).toEqual([]);

      const published = new Map<string, Set<string>>();
      const late: string[] = [];
      const newest = new Map<string, number>();
      for (const { partition, value } of await everythingOn(world.cluster, topic)) {
        const { log, position, index } = decode(value).stamp!;
        const known = published.get(log) ?? new Set();
        published.set(log, known);
        const place = `${partition} ${log}`;
        // Consumers drop events older than the newest one seen: an old event may be repeated, but never arrive for the first time.
        if (!known.has(`${position} ${index}`) && Number(position) < (newest.get(place) ?? 0))
          late.push(`${log} ${position}`);
        known.add(`${position} ${index}`);
        newest.set(place, Math.max(newest.get(place) ?? 0, Number(position)));
      }
      expect(late).toEqual([]);
      const lost: string[] = [];
      for await (const { _id, events } of mongo.db(database).collection<CommitDocument>(`${category}.commits`).find()) {
        events.forEach((bytes, index) => {
          if (kept.has(decode(bytes.buffer).event?.$case)) return;
          if (!published.get(_id.log)?.has(`${_id.position} ${index}`))
            lost.push(`${_id.log} ${_id.position} ${index}`);
        });
      }
      expect(lost).toEqual([]);
    },
  );
});
