import { mulberry32 } from '../../libs/testing/src/drawn.ts';
import { type Lane, Network, type Piece, type Service } from './queues.ts';

/** Microseconds for a push of a broadcast, milliseconds for a message to one device. */
export interface Cost {
  readonly push: number;
  readonly message: number;
}

export interface Scenario {
  /** Multiple of a broadcast to a million devices every five minutes, and ten single messages a second. */
  readonly load: number;
  /** 1 to 8. */
  readonly processes: number;
  readonly channels: number;
  /** Pushes a second for an application; 0 = no limit. */
  readonly providerRate: number;
  readonly seed: number;
}

export interface Utilisation {
  /** All processes, and the busiest; 1 = a whole core. */
  readonly mean: number;
  readonly busiest: number;
  /** Seconds, of the process with the most work after the last arrival. */
  readonly backlog: number;
}

export interface Result {
  readonly seconds: number;
  readonly utilisations: Readonly<Record<ServiceName, Utilisation>>;
  /** Seconds from call to push during a broadcast, ascending. */
  readonly delays: readonly number[];
  /** Seconds from the release to the last push, ascending. */
  readonly finished: readonly number[];
}

export const DEVICES = 1_000_000;
export const PERIOD_SECONDS = 300;
export const MESSAGES_PER_SECOND = 10;
/** A larger load is simulated for a shorter time. */
const LARGEST_LOAD = 20;

const PARTITIONS = 8;
const CHUNK = 65_536;
const SLICE = 500;

export const serviceNames = ['gateway', 'scheduler', 'fan-out', 'dispatcher', 'statistics', 'webhooks'] as const;
export type ServiceName = (typeof serviceNames)[number];
export type Costs = Readonly<Record<ServiceName, Cost>>;

/** A provider is a service, too: each application has a process there, as slow as its limit. */
const STATIONS = [...serviceNames, 'provider'] as const;
type Station = (typeof STATIONS)[number];
const indexOf = (name: Station): number => STATIONS.indexOf(name);

const next: Readonly<Record<Lane, Partial<Record<Station, readonly Station[]>>>> = {
  direct: {
    gateway: ['scheduler'],
    scheduler: ['fan-out'],
    'fan-out': ['dispatcher'],
    dispatcher: ['provider'],
    provider: ['statistics', 'webhooks'],
  },
  broadcast: {
    'fan-out': ['dispatcher'],
    dispatcher: ['provider'],
    provider: ['scheduler', 'statistics', 'webhooks'],
  },
};

function stationsOf({ processes, channels, providerRate }: Scenario, costs: Costs, applications: number): Service[] {
  const costAt = (name: Station) => {
    if (name === 'provider') return ({ pushes }: Piece) => (providerRate > 0 ? pushes / providerRate : 0);
    const { push, message } = costs[name];
    return ({ lane, pushes }: Piece) => (lane === 'direct' ? message / 1e3 : (push * pushes) / 1e6);
  };
  const counts: Partial<Record<Station, number>> = {
    dispatcher: processes * channels,
    provider: applications * channels,
  };
  return STATIONS.map((name) => ({
    processes: counts[name] ?? processes,
    cost: costAt(name),
    next: { direct: (next.direct[name] ?? []).map(indexOf), broadcast: (next.broadcast[name] ?? []).map(indexOf) },
  }));
}

/** Keys are spread over partitions by chance, and partitions over processes in turn. */
function piecesOf({ processes, channels }: Scenario, applications: number, draw: () => number) {
  const below = (limit: number): number => Math.floor(draw() * limit);
  const chunks = Math.ceil(DEVICES / CHUNK);
  /** Tasks and batches have the chunk as their key. */
  const partitions = Array.from({ length: applications * chunks }, () => below(PARTITIONS));

  const piece = (
    lane: Lane,
    since: number,
    pushes: number,
    of: { application: number; chunk: number; message: number },
  ): Piece => {
    const { application, chunk, message } = of;
    const work = partitions[application * chunks + chunk]!;
    const channel = below(channels);
    const process: Readonly<Record<Station, number>> = {
      gateway: message % processes,
      scheduler: message % processes,
      // Releases have the message as their key.
      'fan-out': (lane === 'direct' ? message : work) % processes,
      dispatcher: channel * processes + (work % processes),
      provider: application * channels + channel,
      statistics: message % processes,
      webhooks: message % processes,
    };
    return { lane, since, pushes, application, process: STATIONS.map((name) => process[name]) };
  };

  return {
    message: (since: number): Piece =>
      piece('direct', since, 1, { application: below(applications), chunk: below(chunks), message: below(PARTITIONS) }),
    *slices(application: number, since: number): Generator<Piece> {
      for (let chunk = 0; chunk < chunks; chunk++) {
        // Plans and outcomes have message and chunk as their key.
        const of = { application, chunk, message: below(PARTITIONS) };
        const devices = Math.min(CHUNK, DEVICES - chunk * CHUNK);
        for (let left = devices; left > 0; left -= SLICE) yield piece('broadcast', since, Math.min(left, SLICE), of);
      }
    },
  };
}

function* poisson(rate: number, seconds: number, draw: () => number): Generator<number> {
  for (let at = 0; (at -= Math.log(1 - draw()) / rate) < seconds;) yield at;
}

/** Every broadcast has its own application, and begins at a random moment. */
export function simulate(scenario: Scenario, costs: Costs): Result {
  const seconds = PERIOD_SECONDS * Math.min(1, LARGEST_LOAD / scenario.load);
  const applications = Math.max(1, Math.round((scenario.load * seconds) / PERIOD_SECONDS));
  const draw = mulberry32(scenario.seed);
  const pieces = piecesOf(scenario, applications, draw);
  const released = inOrder(Array.from({ length: applications }, () => draw() * seconds));
  const finished = released.map(() => 0);
  const sent: { readonly since: number; readonly delay: number }[] = [];
  const network = new Network(stationsOf(scenario, costs, applications), ({ lane, application, since }, index, at) => {
    if (index !== indexOf('provider')) return;
    if (lane === 'direct') sent.push({ since, delay: at - since });
    else finished[application] = at - since;
  });

  let application = 0;
  const workUntil = (time: number): void => {
    for (; application < applications && released[application]! <= time; application++) {
      const at = released[application]!;
      network.work(at);
      for (const slice of pieces.slices(application, at)) network.enter(slice, indexOf('fan-out'), at);
    }
    network.work(time);
  };
  for (const at of poisson(MESSAGES_PER_SECOND * scenario.load, seconds, draw)) {
    workUntil(at);
    network.enter(pieces.message(at), indexOf('gateway'), at);
  }
  workUntil(seconds);
  const waiting = network.waiting();
  network.work();

  const isBeside = (at: number): boolean => released.some((since, i) => since <= at && at < since + finished[i]!);
  const utilisationOf = (name: ServiceName): Utilisation => {
    const offered = network.offered()[indexOf(name)]!.map((work) => work / seconds);
    const mean = offered.reduce((sum, work) => sum + work, 0) / offered.length;
    return { mean, busiest: Math.max(...offered), backlog: Math.max(...waiting[indexOf(name)]!) };
  };
  return {
    seconds,
    utilisations: Object.fromEntries(serviceNames.map((name) => [name, utilisationOf(name)])) as Result['utilisations'],
    delays: inOrder(sent.filter(({ since }) => isBeside(since)).map(({ delay }) => delay)),
    finished: inOrder(finished),
  };
}

const inOrder = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
