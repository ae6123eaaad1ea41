import type { Cluster, Member } from '@tidings/demo';
import { LOOP_TIMER_MS } from '@tidings/runtime';

/** By name and labels, e.g. `tidings_dispatch_open_slices{channel="fcm",lane="direct"}`. Empty while it is not running. */
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

async function givenUpBy(dispatcher: Member, channel: string): Promise<number> {
  const metrics = await metricsOf(dispatcher);
  const events = ['deferred', 'lost'].flatMap((event) =>
    ['broadcast', 'direct'].map((lane) => `{channel="${channel}",lane="${lane}",event="${event}"}`),
  );
  return events.reduce((sum, labels) => sum + (metrics.get(`tidings_dispatch_slices_total${labels}`) ?? 0), 0);
}

export async function openSlices(cluster: Cluster, channel: string): Promise<readonly number[]> {
  const metrics = await Promise.all(cluster.of(`dispatcher.${channel}`).map(metricsOf));
  return metrics.map((of) => of.get(`tidings_dispatch_open_slices{channel="${channel}",lane="broadcast"}`) ?? 0);
}

const BYTES_PER_MB = 1024 ** 2;
const CODE_SPACES = ['code', 'code_large_object', 'trusted', 'trusted_large_object'];

export interface ProcessHealth {
  readonly name: string;
  readonly residentMb: number;
  /** Includes uncollected garbage, and buffers outside of the heap. */
  readonly heapMb: number;
  readonly codeMb: number;
  /** 99th percentile of the event loop's delay since the last reading, in milliseconds. */
  readonly lagMs: number;
}

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

/** A push without a timely reply is retried (R-P3), and may reach a device twice without a kill. */
export class GivenUp {
  readonly #cluster: Cluster;
  readonly #channel: string;
  /** By pid: each process counts from 0. */
  readonly #readings = new Map<number, Reading>();

  private constructor(cluster: Cluster, channel: string) {
    this.#cluster = cluster;
    this.#channel = channel;
  }

  static async since(cluster: Cluster, channel: string): Promise<GivenUp> {
    const count = new GivenUp(cluster, channel);
    await count.#read((now) => now);
    return count;
  }

  /** Read it before ending a process, which takes its count with it. */
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
