import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProcessIdentity } from '@tidings/coordination';
import { MessageEvent, PlanEvent, type Stamp, topicNames } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { casesOf, drawn, everythingOn, Load, runFaultScenario } from '@tidings/testing';
import { type Binary, MongoClient } from 'mongodb';
import type { ClusterUnderTest } from './testing/populated.ts';

const { seed, draw } = drawn('kills of relays');

interface StampedEvent {
  readonly stamp?: Stamp | undefined;
  readonly event?: { readonly $case: string } | undefined;
}

const relays = [
  {
    service: 'registry',
    database: 'tidings_registry',
    category: 'devices',
    topic: topicNames.devices,
    decode: (bytes: Uint8Array): StampedEvent => DeviceEvent.decode(bytes),
  },
  {
    service: 'scheduler',
    database: 'tidings_scheduler',
    category: 'messages',
    topic: topicNames.messages,
    decode: (bytes: Uint8Array): StampedEvent => MessageEvent.decode(bytes),
  },
  {
    service: 'fanout',
    database: 'tidings_registry',
    category: 'plans',
    topic: topicNames.plans,
    decode: (bytes: Uint8Array): StampedEvent => PlanEvent.decode(bytes),
  },
];

const kept = new Set<string | undefined>(['keyUsed', 'batchApplied']);

interface CommitDocument {
  readonly _id: { readonly log: string; readonly position: number };
  readonly events: readonly Binary[];
}

export function relayFeatures(test: ClusterUnderTest): void {
  describe('the relay of a killed process', () => {
    let mongo: MongoClient;
    beforeAll(async () => void (mongo = await MongoClient.connect(test.world.cluster.mongoUrl)));
    afterAll(() => mongo?.close());

    it.each(casesOf(relays, 1, draw).map((relay) => [relay.service, relay] as const))(
      'continues in a second process of %s without losing an event, or publishing one only after a later one',
      async (service, { database, category, topic, decode }) => {
        const { world, population } = test;
        const leases = mongo.db(database).collection<{ _id: string; process: ProcessIdentity }>('leases');
        let load: Load | undefined;
        const broken = await runFaultScenario(world, population, {
          title: `the process of ${service} killed that publishes ${category}`,
          share: 0.6 * draw(),
          async inject() {
            load = await Load.during(world, population, async () => {
              const { process } = (await leases.findOne({ _id: `relay/${category}` }))!;
              const holder = world.cluster.of(service).find((member) => member.alive() && member.pid === process.pid)!;
              await holder.kill();
              await world.cluster.start([holder]);
            });
          },
          seed,
        });
        expect([...broken, ...(await load!.broken())]).toEqual([]);

        const published = new Map<string, Set<string>>();
        const late: string[] = [];
        const newest = new Map<string, number>();
        for (const { partition, value } of await everythingOn(world.cluster, topic)) {
          const { log, position, index } = decode(value).stamp!;
          const known = published.get(log) ?? new Set();
          published.set(log, known);
          const place = `${partition} ${log}`;
          // Consumers drop events older than the newest seen: an old event may be repeated, but never arrive first.
          if (!known.has(`${position} ${index}`) && Number(position) < (newest.get(place) ?? 0))
            late.push(`${log} ${position}`);
          known.add(`${position} ${index}`);
          newest.set(place, Math.max(newest.get(place) ?? 0, Number(position)));
        }
        expect(late).toEqual([]);
        const lost: string[] = [];
        for await (const { _id, events } of mongo
          .db(database)
          .collection<CommitDocument>(`${category}.commits`)
          .find()) {
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
}
