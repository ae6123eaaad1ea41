import { expect, it } from '@jest/globals';
import { dispatcherGroup, lanes } from '@tidings/delivery';
import { consumerGroups } from '@tidings/runtime';
import { containerOf, describeWithHelm, type Labels, programOf, renderChart, servicesOf } from '@tidings/testing';
import { smallGroups } from '@tidings/testing/processes';

const BUILD_TIMEOUT_MS = 20 * 60_000;

interface ServiceSpec {
  readonly selector: Labels;
  readonly ports: readonly { readonly name: string }[];
}

describeWithHelm('the small profile of the Helm chart', () => {
  it(
    'has three Deployments, the gateway without a store, each of which is scraped once and scaled by the groups of its services',
    async () => {
      const chart = await renderChart('small');
      const found = chart.deployments.map((deployment) => [programOf(deployment), servicesOf(deployment)]);
      expect(found.sort()).toEqual(
        smallGroups()
          .map(({ name, services: own }) => [name, own])
          .sort(),
      );
      const withStore = chart.deployments.filter((deployment) =>
        containerOf(deployment).env.some(({ name }) => name === 'MONGO_URL_FILE'),
      );
      expect(withStore.map(programOf).sort()).toEqual(['core', 'delivery']);
      const [monitor] = chart.of<{ selector: { matchExpressions: readonly { values: readonly string[] }[] } }>(
        'ServiceMonitor',
      );
      const components = monitor!.spec.selector.matchExpressions[0]!.values;
      const scraped = chart
        .of<ServiceSpec>('Service')
        .filter(
          (service) =>
            components.includes(programOf(service)) && service.spec.ports.some((port) => port.name === 'health'),
        )
        .flatMap(({ spec }) => chart.selectedBy(spec.selector).map(programOf));
      expect(scraped.sort()).toEqual(['core', 'delivery', 'gateway']);
      const [scaled] = chart.of<{ triggers: readonly { metadata: { consumerGroup?: string } }[] }>('ScaledObject');
      const groups = scaled!.spec.triggers.flatMap(({ metadata }) => metadata.consumerGroup ?? []);
      const dispatching = (['apns', 'email', 'fcm', 'webpush'] as const).flatMap((channel) =>
        lanes.map((lane) => dispatcherGroup(channel, lane)),
      );
      expect(groups.sort()).toEqual(
        [...dispatching, ...consumerGroups.webhooks].map((group) => `small.${group}`).sort(),
      );
    },
    BUILD_TIMEOUT_MS,
  );
});
