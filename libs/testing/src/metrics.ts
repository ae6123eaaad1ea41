import { SLICE_SIZE } from '@tidings/delivery';
import type { Cluster, Member } from '@tidings/platform';

/** What a process measures, as it is scraped: by name and labels, e.g. `tidings_dispatch_open_slices{channel="fcm",lane="direct"}`. Empty while it does not run. */
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

/**
 * How many slices of a channel each of its dispatchers has given up before they were answered: what waits too long for an answer is tried
 * again (R-P3), and so may reach a device twice without anybody's death.
 */
export async function givenUp(cluster: Cluster, channel: string): Promise<readonly number[]> {
  const metrics = await Promise.all(cluster.of(`dispatcher.${channel}`).map(metricsOf));
  const events = ['deferred', 'lost'].flatMap((event) =>
    ['broadcast', 'direct'].map((lane) => `{channel="${channel}",lane="${lane}",event="${event}"}`),
  );
  return metrics.map((of) =>
    events.reduce((sum, labels) => sum + (of.get(`tidings_dispatch_slices_total${labels}`) ?? 0), 0),
  );
}

/** Devices of slices that a dispatcher has given up so far, which it forgets when it ends: they may be sent again. */
export async function devicesGivenUp(cluster: Cluster, dispatcher: Member, channel: string): Promise<number> {
  const at = cluster.of(`dispatcher.${channel}`).indexOf(dispatcher);
  return ((await givenUp(cluster, channel))[at] ?? 0) * SLICE_SIZE;
}

/** How many slices of broadcasts each dispatcher of a channel has open now. */
export async function openSlices(cluster: Cluster, channel: string): Promise<readonly number[]> {
  const metrics = await Promise.all(cluster.of(`dispatcher.${channel}`).map(metricsOf));
  return metrics.map((of) => of.get(`tidings_dispatch_open_slices{channel="${channel}",lane="broadcast"}`) ?? 0);
}

/** How many slices were given up between two looks; a process that was started again counts from 0. */
export const givenUpSince = (before: readonly number[], now: readonly number[]): number =>
  now.reduce((sum, count, i) => sum + (count >= before[i]! ? count - before[i]! : count), 0);
