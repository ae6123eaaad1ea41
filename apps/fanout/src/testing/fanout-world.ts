import { setTimeout as delay } from 'node:timers/promises';
import { afterEach } from '@jest/globals';
import { createCollections } from '@tidings/mongo';
import {
  APPLICATIONS,
  type DeviceDocument,
  DEVICES,
  type PlanDocument,
  PLANS,
  devicesModel,
} from '@tidings/registry-store';
import { APP } from '@tidings/registry-store/testing';
import { openLog, keysFrom } from '@tidings/runtime';
import type { Broker, EmbeddedBroker } from '@tidings/streaming';
import { measured, TestClock, testBroker, type TestMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { Registry } from 'prom-client';
import { type FanoutService, openFanout } from '../fanout.ts';
import { FakeDispatchers } from './fake-dispatchers.ts';
import type { Killer } from './killer.ts';
import { type NewMessage, platform } from './fanout-messages.ts';

export const quiet = openLog((process.env['FANOUT_LOG'] ?? 'fatal') as 'fatal');

const open = (
  db: Db,
  broker: Broker,
  clock: TestClock,
  metrics = new Registry(),
  bufferBytes?: number,
): Promise<FanoutService> =>
  openFanout({
    ...(bufferBytes === undefined ? {} : { bufferBytes }),
    db,
    broker,
    clock,
    log: quiet,
    metrics,
    keys: keysFrom(new Uint8Array(32)),
    watchEveryMs: 20,
  });

export async function settle(
  fanout: FanoutService,
  clock: TestClock,
  dispatchers: FakeDispatchers,
  step = 0,
): Promise<void> {
  const deadline = Date.now() + 50_000;
  let open: string[] = [];
  for (let quietRounds = 0; quietRounds < 2;) {
    if (Date.now() > deadline) throw new Error(`not settled: ${open.join('; ')}`);
    ({ open } = await fanout.operations.settled({}));
    quietRounds = open.length === 0 ? quietRounds + 1 : 0;
    if (open.length > 0) {
      await delay(15);
      clock.advance(step);
      await dispatchers.resume();
    }
  }
}

interface WorldOptions {
  readonly chance?: () => number;
  readonly application?: object;
  readonly bufferBytes?: number;
}

async function prepare(db: Db, devices: readonly DeviceDocument[], over: object = {}): Promise<void> {
  await createCollections(db, [devicesModel]);
  await db.collection<DeviceDocument>(DEVICES).insertMany([...devices]);
  await addApplication(db, APP, over);
}

export async function addApplication(db: Db, code: string, over: object = {}): Promise<void> {
  const platforms = [platform(1), platform(3)];
  const application = { kind: 'application', rev: 1, account: 'a', code, title: '', platforms };
  await db.collection<{ _id: string }>(APPLICATIONS).insertOne({ _id: code, ...application, ...over });
}

export function fanoutWorlds(mongo: Pick<TestMongo, 'database'>) {
  let worlds = 0;
  const closers: (() => Promise<unknown>)[] = [];
  const world = async (devices: readonly DeviceDocument[], { chance, application, bufferBytes }: WorldOptions = {}) => {
    const number = ++worlds;
    const db = mongo.database(`registry${number}`);
    await prepare(db, devices, application);
    const broker: EmbeddedBroker = await testBroker({ db: mongo.database(`log${number}`) });
    const clock = new TestClock();
    const metrics = new Registry();
    const dispatchers = await new FakeDispatchers(broker, clock, chance).start();
    const own: (() => Promise<unknown>)[] = [() => broker.close(), () => dispatchers.stop()];
    const close = async (): Promise<void> => {
      for (const each of own.splice(0).reverse()) await each();
    };
    closers.push(close);
    const start = async (killer?: Killer): Promise<FanoutService> => {
      const fanout = await open(killer?.db(db) ?? db, killer?.broker(broker) ?? broker, clock, metrics, bufferBytes);
      own.push(() => fanout.close());
      return fanout;
    };
    const plansOf = async ({ code }: NewMessage): Promise<PlanDocument[]> =>
      db
        .collection<PlanDocument>(PLANS)
        .find({ _id: { $gt: `${code}/`, $lt: `${code}0` } })
        .sort({ _id: 1 })
        .toArray();
    return {
      db,
      broker,
      clock,
      dispatchers,
      start,
      plansOf,
      measured: (name: string) => measured(metrics, name),
      close,
    };
  };
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return world;
}
