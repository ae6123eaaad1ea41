import type { Cluster, Member } from '@tidings/demo';
import { LOOP_TIMER_MS } from '@tidings/runtime';

/**
 * The scraped metrics of a process by name and labels, e.g. `tidings_dispatch_open_slices{channel="fcm",lane="direct"}`. Empty while it is not
 * running.
 */
async function metricsOf({ url }: Pick<Member, 'url'>): Promise<ReadonlyMap<string, number>> {
  const text = await fetch(`${url}/metrics`).then(
    (reply) => reply.text(),
    () => '',
  );
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** Number of slices that a dispatcher has given up unanswered since its start. */
async function givenUpBy(dispatcher: Member, channel: string): Promise<number> {
  const metrics = await metricsOf(dispatcher);
  const events = ['deferred', 'lost'].flatMap((event) =>
    ['broadcast', 'direct'].map((lane) => `{channel="${channel}",lane="${lane}",event="${event}"}`),
  );
  return events.reduce((sum, labels) => sum + (metrics.get(`tidings_dispatch_slices_total${labels}`) ?? 0), 0);
}

/** Number of open broadcast slices in each dispatcher of a channel. */
export async function openSlices(cluster: Cluster, channel: string): Promise<readonly number[]> {
  const metrics = await Promise.all(cluster.of(`dispatcher.${channel}`).map(metricsOf));
  return metrics.map((of) => of.get(`tidings_dispatch_open_slices{channel="${channel}",lane="broadcast"}`) ?? 0);
}

const BYTES_PER_MB = 1024 ** 2;
/** The spaces of V8's heap for bytecode and machine code. */
const CODE_SPACES = ['code', 'code_large_object', 'trusted', 'trusted_large_object'];

/** Memory and responsiveness of a process. */
export interface ProcessHealth {
  readonly name: string;
  readonly residentMb: number;
  /** Used heap, including garbage that is not collected yet, and buffers outside of the heap. */
  readonly heapMb: number;
  /** The part of it that is compiled code. */
  readonly codeMb: number;
  /** The 99th percentile of the delay of the event loop since the last reading, in milliseconds. */
  readonly lagMs: number;
}

/** The health of every process that answers. */
export async function processHealth({ members }: Cluster): Promise<ProcessHealth[]> {
  const healths = await Promise.all(
    members.map(async (member) => {
      const metrics = await metricsOf(member);
      const resident = metrics.get('process_resident_memory_bytes');
      if (resident === undefined) return [];
      const [heap, external, lag] = [
        'nodejs_heap_size_used_bytes',
        'nodejs_external_memory_bytes',
        'nodejs_eventloop_lag_p99_seconds',
      ].map((name) => metrics.get(name) ?? 0) as [number, number, number];
      const code = CODE_SPACES.map(
        (space) => metrics.get(`nodejs_heap_space_size_used_bytes{space="${space}"}`) ?? 0,
      ).reduce((sum, bytes) => sum + bytes, 0);
      return [
        {
          name: member.name,
          residentMb: resident / BYTES_PER_MB,
          heapMb: (heap + external) / BYTES_PER_MB,
          codeMb: code / BYTES_PER_MB,
          lagMs: Math.max(0, lag * 1000 - LOOP_TIMER_MS),
        },
      ];
    }),
  );
  return healths.flat();
}

interface Reading {
  readonly first: number;
  last: number;
}

/**
 * Counts the slices that the dispatchers of a channel give up unanswered: a push without a timely reply is retried (R-P3), so it may reach a device
 * twice without any process being killed.
 */
export class GivenUp {
  readonly #cluster: Cluster;
  readonly #channel: string;
  /** Counts by process id: each process counts from 0. */
  readonly #readings = new Map<number, Reading>();

  private constructor(cluster: Cluster, channel: string) {
    this.#cluster = cluster;
    this.#channel = channel;
  }

  /** Counts from now on. */
  static async since(cluster: Cluster, channel: string): Promise<GivenUp> {
    const count = new GivenUp(cluster, channel);
    await count.#read((now) => now);
    return count;
  }

  /** The number so far. A process that ends takes its count with it, so read the number before ending one. */
  async slices(): Promise<number> {
    await this.#read(() => 0);
    return [...this.#readings.values()].reduce((sum, { first, last }) => sum + last - first, 0);
  }

  async #read(firstOf: (now: number) => number): Promise<void> {
    const dispatchers = this.#cluster.of(`dispatcher.${this.#channel}`).filter((member) => member.alive());
    await Promise.all(
      dispatchers.map(async (dispatcher) => {
        const { pid } = dispatcher;
        const now = await givenUpBy(dispatcher, this.#channel);
        const reading = this.#readings.get(pid);
        // A process that does not answer reports 0.
        if (reading) reading.last = Math.max(reading.last, now);
        else this.#readings.set(pid, { first: firstOf(now), last: now });
      }),
    );
  }
}
