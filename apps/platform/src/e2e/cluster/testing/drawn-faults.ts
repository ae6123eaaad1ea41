import { setTimeout as delay } from 'node:timers/promises';
import { WORKER_LEASE_MS } from '@tidings/delivery';
import {
  type AllowedRepeats,
  type ClusterWorld,
  populationPlatforms,
  type PopulationProvider,
  UNDER_WAY,
} from '@tidings/testing';
import type { Member } from '@tidings/testing/processes';

export interface EndedFault {
  readonly kind: FaultKind;
  readonly name: string;
  readonly allowed: AllowedRepeats;
}

type Inject = (world: ClusterWorld, draw: () => number) => Promise<Omit<EndedFault, 'kind'>>;

/** Long enough for another worker to take over. */
const FROZEN_MS = WORKER_LEASE_MS + 2_000;
const PROVIDER_FAULT_MS = 5_000;

const drawnOf = <T>(among: readonly T[], draw: () => number): T => among[Math.floor(draw() * among.length)]!;

const providerOf = ({ service }: Member): PopulationProvider | undefined =>
  populationPlatforms.find(({ provider }) => service === `dispatcher.${provider}`)?.provider;

const inDoubt = (member: Member): AllowedRepeats => {
  const provider = providerOf(member);
  return provider ? { [provider]: UNDER_WAY } : {};
};

const inDoubtEverywhere = ({ cluster }: ClusterWorld): AllowedRepeats =>
  Object.fromEntries(
    populationPlatforms.map(({ provider }) => [provider, cluster.of(`dispatcher.${provider}`).length * UNDER_WAY]),
  );

const killed: Inject = async ({ cluster }, draw) => {
  const member = drawnOf(cluster.members, draw);
  await member.kill();
  await cluster.start([member]);
  return { name: member.name, allowed: inDoubt(member) };
};

const stopped: Inject = async ({ cluster }, draw) => {
  const member = drawnOf(cluster.members, draw);
  await member.stop();
  await cluster.start([member]);
  return { name: member.name, allowed: {} };
};

const frozen: Inject = async ({ cluster }, draw) => {
  const member = drawnOf(cluster.members, draw);
  member.freeze();
  await delay(FROZEN_MS);
  member.thaw();
  return { name: member.name, allowed: inDoubt(member) };
};

const databaseKilled: Inject = async (world) => {
  const mongod = world.cluster.mongod!;
  process.kill(mongod.pid(), 'SIGKILL');
  await mongod.restart();
  return { name: 'MongoDB', allowed: inDoubtEverywhere(world) };
};

const brokerKilled: Inject = async ({ cluster }) => {
  await cluster.kafka!.kill();
  await cluster.kafka!.restart();
  return { name: 'Kafka', allowed: {} };
};

const atProvider =
  (faults: Parameters<ClusterWorld['simulators']['faults']['set']>[1], recovered: typeof faults): Inject =>
  async ({ simulators }, draw) => {
    const { provider } = drawnOf(populationPlatforms, draw);
    await simulators.faults.set(provider, faults);
    await delay(PROVIDER_FAULT_MS);
    await simulators.faults.set(provider, recovered);
    // The dispatcher that gives the slices up counts pushes without a reply.
    return { name: provider, allowed: {} };
  };

const kinds = {
  killed,
  stopped,
  frozen,
  'database killed': databaseKilled,
  'broker killed': brokerKilled,
  'provider silent': atProvider({ blackhole: true }, { blackhole: false }),
  'provider down': atProvider({ down: true }, { down: false }),
  'streams reset': atProvider({ resetEvery: 20 }, { resetEvery: 0 }),
  'connections ended': atProvider({ goawayEvery: 50 }, { goawayEvery: 0 }),
} satisfies Readonly<Record<string, Inject>>;

export type FaultKind = keyof typeof kinds;

/** Every other fault kills a process, as T1 asks for. */
const others = Object.keys(kinds).filter((kind) => kind !== 'killed') as readonly FaultKind[];

export async function injectDrawn(world: ClusterWorld, draw: () => number): Promise<EndedFault> {
  const kind = draw() < 0.5 ? 'killed' : drawnOf(others, draw);
  return { kind, ...(await kinds[kind](world, draw)) };
}

export function allowedBy(faults: readonly EndedFault[]): AllowedRepeats {
  const sumOf = (provider: PopulationProvider): number =>
    faults.reduce((sum, { allowed }) => sum + (allowed[provider] ?? 0), 0);
  return Object.fromEntries(populationPlatforms.map(({ provider }) => [provider, sumOf(provider)]));
}
