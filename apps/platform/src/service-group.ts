import type { ServiceName } from '@tidings/runtime';
import { type AnyService, runServices } from '@tidings/service';

/** A process loads only the services that it runs. */
const loading: Readonly<Record<ServiceName, () => Promise<{ readonly service: AnyService }>>> = {
  gateway: () => import('@tidings/gateway/service'),
  'audience-jobs': () => import('@tidings/audience-jobs/service'),
  registry: () => import('@tidings/registry/service'),
  scheduler: () => import('@tidings/scheduler/service'),
  fanout: () => import('@tidings/fanout/service'),
  dispatcher: () => import('@tidings/dispatcher/service'),
  statistics: () => import('@tidings/statistics/service'),
  webhooks: () => import('@tidings/webhooks/service'),
};

export async function runServiceGroup(names: readonly ServiceName[]): Promise<void> {
  const loaded = await Promise.all(names.map((name) => loading[name]()));
  await runServices(loaded.map(({ service }) => service));
}
