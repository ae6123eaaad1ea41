import { fanoutGroups } from '@tidings/delivery';
import type { Served } from '@tidings/rpc';
import { type Closing, openWith, type OpenWork, operationsOf } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import { type FanoutDeps, openCollaborators } from './collaborators.ts';
import { consumeAll } from './consumers.ts';
import { startPeriodicWork } from './periodic-work.ts';

const BARRIER_MESSAGES = 1_000;

export interface FanoutService extends Served<'fanout'> {
  close(): Promise<void>;
}

export const openFanout = (deps: FanoutDeps): Promise<FanoutService> =>
  openWith(deps.log, (closing) => compose(deps, closing));

async function compose(deps: FanoutDeps, closing: Closing): Promise<FanoutService> {
  const { broker } = deps;
  const collaborators = await openCollaborators(deps, closing);
  await consumeAll(deps, collaborators, closing);
  startPeriodicWork(deps, collaborators, closing);
  const { fanoutLogs, planLogs, watch } = collaborators;
  const open: OpenWork = {
    own: async () => [...(await fanoutLogs.open.own()), ...(await planLogs.open.own())],
    async shared() {
      const behind = await Promise.all(Object.values(fanoutGroups).map((group) => lagOf(broker, group)));
      const unpublished = [...(await fanoutLogs.open.shared()), ...(await planLogs.open.shared())];
      return [...behind.flat(), ...unpublished, ...(await watch.openMessages(BARRIER_MESSAGES))];
    },
  };
  return { operations: operationsOf(deps, open), close: () => closing.close() };
}

async function lagOf(broker: Broker, group: string): Promise<string[]> {
  const behind = (await broker.lag(group)).filter(({ committed, end }) => committed < end);
  return behind.map(({ topic, partition, committed, end }) => `${group}: ${end - committed} of ${topic} ${partition}`);
}
