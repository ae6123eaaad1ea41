import { mulberry32 } from '../../libs/testing/src/drawn.ts';

export const serviceNames = ['gateway', 'scheduler', 'fan-out', 'dispatcher', 'statistics', 'webhooks'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Microseconds for a push of a broadcast, milliseconds for a message to one device. */
export interface Cost {
  readonly push: number;
  readonly message: number;
}

export type Costs = Readonly<Record<ServiceName, Cost>>;

export interface Scenario {
  /** Multiple of a broadcast to a million devices every five minutes, and ten single messages a second. */
  readonly load: number;
  /** 1 to 8, for each service and each channel's dispatcher. */
  readonly processes: number;
  readonly channels: number;
  readonly seed: number;
}

/** 1 = a whole core. */
export interface Utilisation {
  readonly mean: number;
  readonly busiest: number;
}

export const DEVICES = 1_000_000;
export const PERIOD_SECONDS = 300;
export const MESSAGES_PER_SECOND = 10;

const PARTITIONS = 8;
const CHUNK = 65_536;
const SLICE = 500;

/** The busiest process's share of the devices of all broadcasts: chance assigns chunks to partitions, which are spread evenly. */
function largestShare(broadcasts: number, { processes }: Scenario, draw: () => number): number {
  const shares = Array.from({ length: processes }, () => 0);
  for (let i = 0; i < broadcasts; i++)
    for (let left = DEVICES; left > 0; left -= CHUNK)
      shares[Math.floor(draw() * PARTITIONS) % processes]! += Math.min(left, CHUNK) / DEVICES / broadcasts;
  return Math.max(...shares);
}

/** Tasks and batches have another key than facts. */
function shareByService(broadcasts: number, scenario: Scenario): (name: ServiceName) => number {
  const draw = mulberry32(scenario.seed);
  const [work, facts] = [largestShare(broadcasts, scenario, draw), largestShare(broadcasts, scenario, draw)];
  return (name) => (name === 'fan-out' || name === 'dispatcher' ? work : facts);
}

const channelsOf = (name: ServiceName, { channels }: Scenario): number => (name === 'dispatcher' ? channels : 1);

const ofMessages = (name: ServiceName, scenario: Scenario, costs: Costs): number =>
  (scenario.load * MESSAGES_PER_SECOND * costs[name].message) / 1e3 / scenario.processes / channelsOf(name, scenario);

export function utilisations(scenario: Scenario, costs: Costs): Readonly<Record<ServiceName, Utilisation>> {
  const shareOf = shareByService(Math.max(1, Math.round(scenario.load)), scenario);
  const entries = serviceNames.map((name) => {
    const pushes = (((scenario.load * DEVICES) / PERIOD_SECONDS) * costs[name].push) / 1e6 / channelsOf(name, scenario);
    const messages = ofMessages(name, scenario, costs);
    return [name, { mean: pushes / scenario.processes + messages, busiest: pushes * shareOf(name) + messages }];
  });
  return Object.fromEntries(entries) as Record<ServiceName, Utilisation>;
}

/** The service with the least spare time, and the load at which its busiest process has none. */
export function firstFull(scenario: Scenario, costs: Costs): { readonly name: ServiceName; readonly load: number } {
  const found = utilisations(scenario, costs);
  const [name] = serviceNames.toSorted((a, b) => found[b].busiest - found[a].busiest) as [ServiceName];
  return { name, load: scenario.load / found[name].busiest };
}

/** Seconds from the release of a broadcast to its last push, without other work. */
export function broadcastSeconds(scenario: Scenario, costs: Costs): number {
  const shareOf = shareByService(1, scenario);
  const secondsAt = (name: ServiceName): number =>
    ((DEVICES * costs[name].push) / 1e6) * (shareOf(name) / channelsOf(name, scenario));
  return Math.max(...serviceNames.map(secondsAt));
}

const path: readonly ServiceName[] = ['gateway', 'scheduler', 'fan-out', 'dispatcher'];

/** Seconds of a message that waits for a slice at each process. Undefined where messages need more than half of one: then they also queue. */
export function messageSeconds(scenario: Scenario, costs: Costs): number | undefined {
  if (path.some((name) => ofMessages(name, scenario, costs) > 0.5)) return undefined;
  return path.reduce((sum, name) => sum + costs[name].message / 1e3 + (costs[name].push * SLICE) / 1e6, 0);
}
