import { basename } from 'node:path';
import { globSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { containerOf, describeWithHelm, type Labels, renderChart } from '@tidings/testing';

const BUILD_TIMEOUT_MS = 20 * 60_000;
const valueFiles = globSync('deploy/helm/tidings/ci/*-values.yaml').map((file) => basename(file, '-values.yaml'));

describeWithHelm('what operators add to the Helm chart', () => {
  it(
    'are labels, volumes and containers of pods, and objects of the release',
    async () => {
      const chart = await renderChart(
        'operators',
        ...['--set-json', 'defaults.podLabels={"team":"push","app.kubernetes.io/name":"other"}'],
        ...['--set-json', 'defaults.sidecars=[{"name":"proxy","image":"proxy:1"}]'],
        ...['--set-json', 'defaults.extraVolumes=[{"name":"more","emptyDir":{}}]'],
        ...['--set-json', 'defaults.extraVolumeMounts=[{"name":"more","mountPath":"/more"}]'],
        ...[
          '--set-json',
          'extraObjects=[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"{{ .Release.Name }}-x"}}]',
        ],
      );
      for (const deployment of chart.deployments) {
        const { metadata, spec } = deployment.spec.template;
        expect(metadata.labels).toMatchObject({ team: 'push', 'app.kubernetes.io/name': 'tidings' });
        expect(spec.containers.map(({ name }: { name: string }) => name)).toEqual([expect.any(String), 'proxy']);
        expect(containerOf(deployment).volumeMounts).toContainEqual({ name: 'more', mountPath: '/more' });
        expect(spec.volumes).toContainEqual({ name: 'more', emptyDir: {} });
      }
      expect(chart.of('ConfigMap').map(({ metadata }) => metadata.name)).toEqual(['tidings-x']);
    },
    BUILD_TIMEOUT_MS,
  );

  it(
    'are Secrets of operators, and a user of Kafka without a key for the name',
    async () => {
      const sasl = 'kafka.sasl={"mechanism":"SCRAM-SHA-512","existingSecret":"tidings-user","username":"tidings-user"}';
      const [gateway] = (await renderChart('operators', '--set-json', sasl)).deployments;
      const { volumes } = gateway!.spec.template.spec;
      const items = volumes.flatMap((volume) => volume.projected?.sources ?? []).flatMap(({ secret }) => secret.items);
      expect(items).toEqual(
        expect.arrayContaining([
          { key: 'user.crt', path: 'kafka/tls.crt' },
          { key: 'user.key', path: 'kafka/tls.key' },
          { key: 'password', path: 'kafka-password' },
        ]),
      );
      expect(containerOf(gateway!).env).toContainEqual({ name: 'KAFKA_SASL_USERNAME', value: 'tidings-user' });
    },
    BUILD_TIMEOUT_MS,
  );

  it(
    'is a test by a pod that runs the doctor, and that reaches the gateway alone',
    async () => {
      for (const name of valueFiles) {
        const [pod, ...others] = (await renderChart(name)).of<{ containers: { command: string[] }[] }>('Pod');
        expect(others).toEqual([]);
        expect(pod!.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'test' });
        expect(pod!.spec.containers[0]!.command.slice(2)).toEqual(['apps/cli/dist/main.js', 'doctor']);
      }
      const policies = (await renderChart('tls')).of<{ podSelector: { matchLabels: Labels } }>('NetworkPolicy');
      const component = 'app.kubernetes.io/component';
      const [own, gateway] = ['doctor', 'gateway'].map((each) =>
        policies.find(({ spec }) => spec.podSelector.matchLabels[component] === each),
      );
      expect(JSON.stringify(own!.spec)).toContain(`"${component}":"gateway"`);
      expect(JSON.stringify(gateway!.spec)).toContain(`"${component}":"doctor"`);
    },
    BUILD_TIMEOUT_MS,
  );
});
