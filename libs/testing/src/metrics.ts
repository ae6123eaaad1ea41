import { SLICE_SIZE } from '@tidings/delivery';
import type { Cluster, Member } from '@tidings/platform';

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

/**
 * Number of slices of a channel that each of its dispatchers has given up unanswered: a push without a timely reply is retried (R-P3), so it may
 * reach a device twice without any process being killed.
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

/** Devices in slices that a dispatcher has given up so far, which may be sent again. The count is lost when the dispatcher ends. */
export async function devicesGivenUp(cluster: Cluster, dispatcher: Member, channel: string): Promise<number> {
  const at = cluster.of(`dispatcher.${channel}`).indexOf(dispatcher);
  return ((await givenUp(cluster, channel))[at] ?? 0) * SLICE_SIZE;
}

/** Number of open broadcast slices in each dispatcher of a channel. */
export async function openSlices(cluster: Cluster, channel: string): Promise<readonly number[]> {
  const metrics = await Promise.all(cluster.of(`dispatcher.${channel}`).map(metricsOf));
  return metrics.map((of) => of.get(`tidings_dispatch_open_slices{channel="${channel}",lane="broadcast"}`) ?? 0);
}

/** Number of slices given up between two readings; a restarted process counts from 0. */
export const givenUpSince = (before: readonly number[], now: readonly number[]): number =>
  now.reduce((sum, count, i) => sum + (count >= before[i]! ? count - before[i]! : count), 0);
