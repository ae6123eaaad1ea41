import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { HttpClient } from '@tidings/client';
import { canRunKafka, type LocalKafka, startLocalKafka } from '@tidings/local-servers';
import { addressVariable, freePorts, type ServiceName, services } from '@tidings/runtime';
import {
  containerOf,
  buildAll,
  certificateAuthority,
  describeWhere,
  describeWithHelm,
  describeWithMongo,
  environmentOf,
  renderChart,
  type RenderedChart,
  type RenderedObject,
  type RenderedWorkload,
  servicesOf,
} from '@tidings/testing';
import { type NodeProcess, startNode, untilReady } from '@tidings/testing/processes';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
/** May include a build of helm. */
const START_TIMEOUT_MS = 20 * 60_000;
const READY_TIMEOUT_MS = 120_000;
const AT_ONCE = 4;
const LOG_TAIL = 2_000;

const user = { username: 'tidings', password: 'of-a-test' };
const authority = certificateAuthority('chart');
const { ca } = authority;

type Workload = RenderedObject<RenderedWorkload>;

/** All processes share this machine's address. */
interface Place {
  readonly workload: Workload;
  readonly ports: Readonly<Record<string, string>>;
}

function secretsFor(mongoUrl: string): Readonly<Record<string, string>> {
  const { cert, key } = authority.issue('localhost');
  return {
    'master-key': Buffer.alloc(32, 1).toString('base64'),
    'master-key-previous': Buffer.alloc(32, 2).toString('base64'),
    'admin-token': 'token-of-the-administrator',
    'mongo-url': mongoUrl,
    'kafka-password': user.password,
    'smtp-url': 'smtp://127.0.0.1:9',
    'smpp-url': 'smpp://user:password@127.0.0.1:9?sender=Tidings',
    'https-proxy': 'http://user:password@127.0.0.1:9',
    'disposable-domains/domains.txt': 'example.com',
    'extra-ca.crt': ca,
    'kafka/ca.crt': ca,
    'kafka/tls.crt': cert,
    'kafka/tls.key': key,
    'grpc/ca.crt': ca,
    'grpc/tls.crt': cert,
    'grpc/tls.key': key,
    'traces/headers': 'authorization=Bearer%20token',
    'traces/ca.crt': ca,
  };
}

async function placed(workloads: readonly Workload[]): Promise<{ places: Place[]; addresses: Record<string, string> }> {
  const PORTS = ['GRPC_PORT', 'HEALTH_PORT', 'PORT', 'EVENTS_PORT', 'SMTP_LISTEN_PORT'];
  const numbers = (await freePorts(PORTS.length * workloads.length)).map(String);
  const places = workloads.map((workload) => {
    const { env } = containerOf(workload);
    const rendered = PORTS.filter((port) => env.some(({ name }) => name === port));
    return { workload, ports: Object.fromEntries(rendered.map((port) => [port, numbers.pop()!])) };
  });
  const addresses = (Object.keys(services) as ServiceName[]).map((service) => [
    addressVariable(service),
    places
      .filter(({ workload }) => servicesOf(workload).includes(service))
      .map(({ ports }) => `127.0.0.1:${ports['GRPC_PORT']}`)
      .join(','),
  ]);
  return { places, addresses: Object.fromEntries(addresses) as Record<string, string> };
}

describeWithHelm('the containers of the Helm chart', () => {
  describeWhere(canRunKafka())('the containers on a Kafka with TLS and SASL', () => {
    describeWithMongo('the containers on a MongoDB', (mongo) => {
      let folder: string;
      let kafka: LocalKafka;
      const running: NodeProcess[] = [];

      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), 'tidings-chart-'));
        const security = { ...authority.issue('localhost'), ca, ...user };
        [kafka] = await Promise.all([startLocalKafka(join(folder, 'kafka'), { security }), buildAll()]);
        const mongoUrl = mongo.url.replace(/\/(\?|$)/, `/${mongo.prefix}$1`);
        for (const [path, text] of Object.entries(secretsFor(mongoUrl))) {
          const file = join(folder, 'secrets', path);
          await mkdir(dirname(file), { recursive: true });
          await writeFile(file, text);
        }
      }, START_TIMEOUT_MS);
      afterAll(async () => {
        for (const process of running) process.signal('SIGKILL');
        await Promise.all(running.map((process) => process.ended()));
        await kafka?.kill();
        await rm(folder, { recursive: true, force: true });
      });

      const start = async ({ metadata, spec }: Workload, replaced: Readonly<Record<string, string>>) => {
        const [container] = spec.template.spec.containers;
        const rendered = environmentOf(container, { folder: join(folder, 'secrets'), textOf: () => user.username });
        const inChart = Object.entries(replaced).filter(([name]) => Object.hasOwn(rendered, name));
        const [program, sourceMaps, entry] = container.command;
        expect([program, sourceMaps]).toEqual(['node', '--enable-source-maps']);
        const logFile = join(folder, `${metadata.name}.log`);
        const env = { ...rendered, ...Object.fromEntries(inChart) };
        const started = await startNode({ entry: join(repository, entry!), env, logFile });
        running.push(started);
        return started;
      };

      async function becomesReady(
        { workload, ports }: Place,
        addresses: Record<string, string>,
        { ends = false } = {},
      ) {
        const child = await start(workload, { ...addresses, ...ports });
        const url = `http://127.0.0.1:${ports['HEALTH_PORT']}`;
        const unready = (await untilReady(url, child, READY_TIMEOUT_MS).catch(String)) ?? '';
        const { startupProbe, readinessProbe, livenessProbe } = containerOf(workload);
        const health = new HttpClient(url, 1);
        const statuses: number[] = [];
        for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
          const answer = await health.send(httpGet.path).catch(() => ({ status: 0 }));
          statuses.push(answer.status);
        }
        health.close();
        const fault =
          unready !== '' || !child.alive() ? `${unready}\n${child.errors()}${child.output().slice(-LOG_TAIL)}` : '';
        if (ends) {
          child.signal('SIGKILL');
          await child.ended();
        }
        return { name: workload.metadata.name, fault, statuses };
      }

      it(
        'become ready with the rendered commands and variables',
        async () => {
          // Every channel, everything encrypted; one broker, and no collector of traces.
          const options = [
            ...['--values', 'deploy/helm/tidings/ci/tls-values.yaml'],
            ...['--set', `kafka.brokers={${kafka.securedBrokers}},kafka.replicationFactor=1,host=127.0.0.1`],
            ...['--set', 'environment.OTEL_EXPORTER_OTLP_ENDPOINT='],
          ];
          const chart = await renderChart('all-channels', ...options);
          const jobOf = ({ workloads }: RenderedChart): Workload => workloads.find(({ kind }) => kind === 'Job')!;
          const step = await start(jobOf(chart), {});
          expect([await step.ended(), step.errors()]).toEqual([0, '']);
          const restored = await start(
            jobOf(await renderChart('all-channels', ...options, '--set', 'topics.restored=true')),
            {},
          );
          expect([await restored.ended(), restored.errors()]).toEqual([
            1,
            expect.stringContaining('restore them first'),
          ]);

          for (const { deployments } of [
            chart,
            await renderChart('all-channels', ...options, '--set', 'profile=small'),
          ]) {
            const { places, addresses } = await placed(deployments);
            const [registries, others] = [true, false].map((isRegistry) =>
              places.filter(({ workload }) => servicesOf(workload).includes('registry') === isRegistry),
            ) as [Place[], Place[]];
            // The gateway becomes ready when a registry answers.
            const started = [await Promise.all(registries.map((place) => becomesReady(place, addresses)))];
            for (let i = 0; i < others.length; i += AT_ONCE) {
              const group = others.slice(i, i + AT_ONCE);
              started.push(await Promise.all(group.map((place) => becomesReady(place, addresses, { ends: true }))));
            }
            expect(started.flat()).toEqual(
              started.flat().map(({ name }) => ({ name, fault: '', statuses: [200, 200, 200] })),
            );
            expect(started.flat()).toHaveLength(deployments.length);
          }
        },
        START_TIMEOUT_MS,
      );
    });
  });
});
