import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { channels } from '@tidings/kernel';
import { dispatcherGroup, fanoutGroups, lanes } from '@tidings/delivery';
import {
  addressVariable,
  consumerGroups,
  environmentVariables,
  readServiceEnv,
  requiredByAll,
  type RequiredVariable,
  type ServiceName,
  services,
} from '@tidings/runtime';
import {
  appsIn,
  certificateAuthority,
  containerOf,
  describeWithHelm,
  environmentOf,
  type Labels,
  programOf,
  renderChart,
  type RenderedChart,
  type RenderedObject,
  type RenderedWorkload,
  SECRETS_FOLDER,
  servicesOf,
} from '@tidings/testing';
import { parse } from 'yaml';

const folder = 'deploy/helm/tidings';
const valueFiles = globSync(`${folder}/ci/*-values.yaml`).map((file) => basename(file, '-values.yaml'));
const serviceNames = Object.keys(services) as ServiceName[];
const BUILD_TIMEOUT_MS = 20 * 60_000;

type Workload = RenderedObject<RenderedWorkload>;
const variablesOf = (workload: Workload): string[] => containerOf(workload).env.map(({ name }) => name);

const notSettable = ['TIDINGS_DATA', 'TIDINGS_MONGOD', 'TIDINGS_TEST_CLOCK'];

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly selector: Labels;
  readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
}

describeWithHelm('the Helm chart', () => {
  const charts = new Map<string, RenderedChart>();
  const chartOf = (name: string): RenderedChart => charts.get(name)!;
  let secrets: string;

  beforeAll(async () => {
    const rendered = valueFiles.map(async (name) => charts.set(name, await renderChart(name)));
    await Promise.all(rendered);
    secrets = await mkdtemp(join(tmpdir(), 'tidings-chart-'));
    const { ca, issue } = certificateAuthority('chart');
    const { cert, key } = issue('registry');
    const texts: Record<string, string> = {
      'master-key': Buffer.alloc(32, 1).toString('base64'),
      'master-key-previous': Buffer.alloc(32, 2).toString('base64'),
      'admin-token': 'token-of-the-administrator',
      'mongo-url': 'mongodb://mongodb:27017/?replicaSet=rs0',
      'kafka-password': 'of-a-test',
      'smtp-url': 'smtp://mail.example.com:587',
      'smpp-url': 'smpp://user:password@sms.example.com:2775?sender=Tidings',
      'disposable-domains/domains.txt': 'example.com',
      'https-proxy': 'http://user:password@proxy.example.com:3128',
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
    for (const [path, text] of Object.entries(texts)) {
      await mkdir(dirname(join(secrets, path)), { recursive: true });
      await writeFile(join(secrets, path), text);
    }
  }, BUILD_TIMEOUT_MS);
  afterAll(() => rm(secrets, { recursive: true, force: true }));

  describe.each(valueFiles)('the chart with the values %s', (name) => {
    it('runs each service in one Deployment, dispatchers for each enabled channel, and the topics before them', async () => {
      const { deployments, workloads } = chartOf(name);
      const values = parse(await readFile(`${folder}/values.yaml`, 'utf8')) as {
        channels: Record<string, { enabled: boolean }>;
      };
      const own = parse(await readFile(`${folder}/ci/${name}-values.yaml`, 'utf8')) as Partial<typeof values>;
      const enabled = channels.filter((channel) => ({ ...values.channels, ...own.channels })[channel]!.enabled);
      const expected = serviceNames.flatMap((service): string[] =>
        service === 'dispatcher' ? enabled.map((channel) => `${service}.${channel}`) : [service],
      );
      const found = deployments.flatMap((deployment) => {
        const { command, env, image } = containerOf(deployment);
        expect([command[0], command[1]]).toEqual(['node', '--enable-source-maps']);
        const [, app] = /^apps\/([\w-]+)\//.exec(command[2]!)!;
        expect(appsIn(/\/([\w-]+):[^:/]+$/.exec(image)![1]!)).toContain(app);
        const together = servicesOf(deployment);
        const program = env.some((each) => each.name === 'TIDINGS_SERVICES')
          ? 'platform/dist/main.js'
          : services[together[0]!].program;
        expect(command[2]).toBe(`apps/${program}`);
        const own = env.find((each) => each.name === 'TIDINGS_CHANNEL')?.value?.split(',') ?? [];
        return together.flatMap((service) =>
          service === 'dispatcher' ? own.map((channel) => `${service}.${channel}`) : [service],
        );
      });
      expect(found.sort()).toEqual(expected.sort());

      const [job, ...others] = workloads.filter(({ kind }) => kind === 'Job');
      expect(others).toEqual([]);
      expect(containerOf(job!).command.at(-1)).toBe('apps/platform/dist/topics.js');
      expect(job!.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
      // It is there before all other objects.
      expect(job!.spec.template.spec.serviceAccountName).toBeUndefined();
    });

    it('gives each program variables that it reads and starts with', () => {
      for (const workload of chartOf(name).workloads) {
        const service = programOf(workload);
        const facts = servicesOf(workload).map((each) => services[each]);
        const [required, peers] = [facts.flatMap((each) => each.required), facts.flatMap((each) => each.peers)];
        const all = service === 'topics' ? (['KAFKA_BROKERS'] as const) : requiredByAll;
        const env = environmentOf(containerOf(workload), { folder: secrets, textOf: () => 'user' });
        const needs = { required: [...all, ...required] as RequiredVariable[], peers };
        expect(() => readServiceEnv(needs, env)).not.toThrow();
        const read = [...environmentVariables, ...peers.map(addressVariable)];
        expect([service, variablesOf(workload).filter((variable) => !read.includes(variable))]).toEqual([service, []]);
        expect(new Set(variablesOf(workload)).size).toBe(variablesOf(workload).length);
      }
    });

    it('gives secrets only to the programs that require them', () => {
      const special = ['TIDINGS_MASTER_KEY', 'TIDINGS_ADMIN_TOKEN', 'MONGO_URL', 'TIDINGS_CHANNEL'];
      for (const workload of chartOf(name).deployments) {
        const service = programOf(workload);
        const required: readonly string[] = [
          ...requiredByAll,
          ...servicesOf(workload).flatMap((each) => services[each].required as readonly string[]),
        ];
        const given = variablesOf(workload).map((variable) => variable.replace(/_FILE$/, ''));
        expect([service, special.filter((variable) => given.includes(variable))]).toEqual([
          service,
          special.filter((variable) => required.includes(variable)),
        ]);
      }
      const [topics] = chartOf(name).workloads.filter(({ kind }) => kind === 'Job');
      expect(
        variablesOf(topics!)
          .filter((variable) => !variable.startsWith('KAFKA_'))
          .sort(),
      ).toEqual(Object.keys(environmentIn(name)).sort());
    });

    it('mounts every file that a variable names, of an existing Secret, and nothing else', () => {
      for (const { metadata, spec } of chartOf(name).workloads) {
        const { containers, volumes } = spec.template.spec;
        const [{ env, volumeMounts }] = containers;
        expect([metadata.name, volumeMounts.map((mount) => mount.name)]).toEqual([
          metadata.name,
          volumes.map((volume) => volume.name),
        ]);
        const named = env.flatMap(({ value }) => (value?.startsWith(`${SECRETS_FOLDER}/`) ? [value] : []));
        const sources = volumes.flatMap((volume) => volume.projected?.sources ?? []);
        const mounted = sources.flatMap(({ secret }) => secret.items.map(({ path }) => `${SECRETS_FOLDER}/${path}`));
        expect(mounted.sort()).toEqual(named.sort());
        for (const { secret } of sources) expect(secret.name).toMatch(/^tidings/);
      }
      expect(chartOf(name).of('Secret')).toEqual([]);
    });

    it('names services by their headless Service, which selects all pods of the service and no others', () => {
      const chart = chartOf(name);
      const headless = chart.of<ServiceSpec>('Service').filter(({ spec }) => spec.clusterIP === 'None');
      for (const service of serviceNames) {
        const named = chart.deployments.flatMap((deployment) => {
          const { env } = containerOf(deployment);
          return env.filter((each) => each.name === addressVariable(service)).map(({ value }) => value!);
        });
        expect(named.length).toBeGreaterThan(0);
        expect(new Set(named).size).toBe(1);
        const [host, port] = named[0]!.split(':');
        const found = headless.find(({ metadata }) => metadata.name === host)!;
        expect(found.spec.ports.map((each) => [each.port, each.targetPort])).toContainEqual([Number(port), 'grpc']);
        const selected = chart.selectedBy(found.spec.selector);
        expect(selected).toEqual(chart.deployments.filter((deployment) => servicesOf(deployment).includes(service)));
      }
    });

    it('has ports behind all Services and probes, at the numbers that the variables give', () => {
      const chart = chartOf(name);
      for (const { metadata, spec } of chart.of<ServiceSpec>('Service')) {
        for (const deployment of chart.selectedBy(spec.selector)) {
          const ports = containerOf(deployment).ports!.map((port) => port.name);
          for (const { targetPort } of spec.ports)
            expect([metadata.name, ports]).toEqual([metadata.name, expect.arrayContaining([targetPort])]);
        }
        expect(chart.selectedBy(spec.selector)).not.toEqual([]);
      }
      const variables: Readonly<Record<string, string>> = {
        grpc: 'GRPC_PORT',
        health: 'HEALTH_PORT',
        http: 'PORT',
        events: 'EVENTS_PORT',
        smtp: 'SMTP_LISTEN_PORT',
      };
      for (const deployment of chart.deployments) {
        const { env, ports, startupProbe, readinessProbe, livenessProbe } = containerOf(deployment);
        for (const port of ports!)
          expect(env).toContainEqual({ name: variables[port.name], value: String(port.containerPort) });
        expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet)).toEqual(
          ['/startupz', '/readyz', '/livez'].map((path) => ({ path, port: 'health' })),
        );
      }
    });

    it('runs pods by the restricted standard, with limits of memory, and time to terminate', () => {
      for (const { kind, metadata, spec } of chartOf(name).workloads) {
        const { securityContext, containers, volumes, ...pod } = spec.template.spec;
        const [container] = containers;
        expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false]);
        expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
        expect(volumes.find((volume) => volume.name === 'tmp')).toHaveProperty('emptyDir');
        expect([metadata.name, container.resources.limits['memory']]).toEqual([metadata.name, expect.any(String)]);
        expect(container.resources.requests).toMatchObject({ cpu: expect.any(String), memory: expect.any(String) });
        if (kind === 'Job') continue;
        // A service ends within 24 s after the pause.
        const rest = pod.terminationGracePeriodSeconds! - container.lifecycle!.preStop.sleep.seconds;
        expect(rest).toBeGreaterThanOrEqual(30);
      }
    });

    it('selects by each Deployment and each budget its own pods, and scales each Deployment in one way', () => {
      const chart = chartOf(name);
      const budgets = chart.of<{ selector: { matchLabels: Labels } }>('PodDisruptionBudget');
      const scalers = chart.of<{ scaleTargetRef: { name: string } }>('HorizontalPodAutoscaler', 'ScaledObject');
      for (const deployment of chart.deployments) {
        const { name: own } = deployment.metadata;
        expect(chart.selectedBy(deployment.spec.selector!.matchLabels)).toEqual([deployment]);
        const scaled = scalers.filter(({ spec }) => spec.scaleTargetRef.name === own);
        expect([own, scaled.length + (deployment.spec.replicas === undefined ? 0 : 1)]).toEqual([own, 1]);
      }
      for (const { spec } of budgets) expect(chart.selectedBy(spec.selector.matchLabels)).toHaveLength(1);
      expect([0, chart.deployments.length]).toContain(budgets.length);
      expect(scalers.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(scalers.map(({ metadata }) => metadata.name));
    });

    it('routes external traffic to existing Services', () => {
      const chart = chartOf(name);
      const offered = chart
        .of<ServiceSpec>('Service')
        .flatMap(({ metadata, spec }) =>
          spec.ports.map(({ name: port, port: number }) => [metadata.name, port, number]),
        );
      const backends = chart.of('Ingress', 'HTTPRoute', 'GRPCRoute').map((route) => {
        const text = JSON.stringify(route.spec);
        const [, host, , port] = /"name":"([\w-]+)","port":({"name":)?"?(\w+)/.exec(
          text.replace(/.*"(backendRefs|backend)":/, ''),
        )!;
        return [host, port];
      });
      for (const [host, port] of backends)
        expect(offered.some(([to, named, number]) => to === host && [named, String(number)].includes(port))).toBe(true);
    });
  });

  it('gives the number of copies to every program, since services create the topics of subscribers', () => {
    const copiesIn = (name: string): (number | undefined)[] =>
      chartOf(name).workloads.map((workload) => {
        const env = environmentOf(containerOf(workload), { folder: secrets, textOf: () => 'user' });
        return readServiceEnv({ required: [], peers: [] }, env).kafkaReplicationFactor;
      });
    expect([...new Set(copiesIn('tls'))]).toEqual([2]);
    // By the number of brokers.
    expect([...new Set(copiesIn('default'))]).toEqual([undefined]);
  });

  it('spreads over zones, with budgets and scaling by load, for high availability', () => {
    const chart = chartOf('ha');
    for (const { spec } of chart.deployments) {
      expect(spec.template.spec.topologySpreadConstraints).toContainEqual(
        expect.objectContaining({ topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }),
      );
    }
    expect(chart.of('PodDisruptionBudget')).toHaveLength(chart.deployments.length);
    const least = chart
      .of<{ minReplicas?: number; minReplicaCount?: number }>('HorizontalPodAutoscaler', 'ScaledObject')
      .map(({ spec }) => spec.minReplicas ?? spec.minReplicaCount!);
    expect(Math.min(...least)).toBeGreaterThanOrEqual(3);
  });

  it('lets KEDA replace each other autoscaler while that still exists, under another name', async () => {
    const [before, after] = [await renderChart('ha', '--set', 'keda.enabled=false'), chartOf('ha')];
    const autoscalers = before.of('HorizontalPodAutoscaler');
    expect(autoscalers.length).toBeGreaterThan(after.of('HorizontalPodAutoscaler').length);
    for (const { metadata } of autoscalers)
      expect(metadata.annotations).toEqual({ 'validations.keda.sh/hpa-ownership': 'false' });
    // KEDA names the autoscaler of a ScaledObject.
    for (const { spec } of after.of('ScaledObject')) expect(spec).not.toHaveProperty('advanced');
  });

  it('keeps the number of pods of Deployments that are scaled by load', async () => {
    const replicasIn = ({ deployments }: RenderedChart): Readonly<Record<string, number | undefined>> =>
      Object.fromEntries(deployments.map(({ metadata, spec }) => [metadata.name, spec.replicas]));
    const alone = replicasIn(chartOf('ha'));
    const fixed = Object.values(alone).filter((replicas) => replicas !== undefined);
    expect(fixed).toEqual([3]);

    const cluster = clusterWith({ 'tidings-gateway': 5, 'tidings-scheduler': 7 });
    try {
      await once(cluster.listen(0, '127.0.0.1'), 'listening');
      const { port } = cluster.address() as AddressInfo;
      const rendered = await renderChart('ha', '--dry-run=server', '--kube-apiserver', `http://127.0.0.1:${port}`);
      expect(replicasIn(rendered)).toEqual({ ...alone, 'tidings-gateway': 5 });
    } finally {
      cluster.closeAllConnections();
      cluster.close();
    }
  });

  it('keeps the labels of metrics if the operator of Prometheus has labels of the same name', () => {
    const monitors = chartOf('ha').of<{ endpoints: readonly object[] }>('ServiceMonitor');
    expect(monitors.flatMap(({ spec }) => spec.endpoints)).toEqual([expect.objectContaining({ honorLabels: true })]);
  });

  it('mounts the files of the gateway, of each kind, and only there', () => {
    const filesIn = (name: string): unknown[][] =>
      chartOf(name).workloads.flatMap((workload) =>
        workload.spec.template.spec.volumes
          .filter((volume) => /^(geoip|disposable)/.test(volume.name))
          .map(({ name: volume, ...source }) => [programOf(workload), volume, source]),
      );
    expect(filesIn('all-channels')).toEqual([
      ['gateway', 'geoip-database', { persistentVolumeClaim: { claimName: 'tidings-geoip', readOnly: true } }],
      ['gateway', 'disposable-domains', { configMap: { name: 'tidings-domains' } }],
    ]);
    // Kubernetes reads the mode as an octal number, and this parser does not.
    expect(filesIn('tls')).toEqual([
      ['gateway', 'disposable-domains', { secret: expect.objectContaining({ secretName: 'tidings-domains' }) }],
    ]);
    expect(filesIn('default')).toEqual([]);
    const gateway = chartOf('all-channels').deployments.find((deployment) => programOf(deployment) === 'gateway')!;
    const { env, volumeMounts } = containerOf(gateway);
    const path = env.find(({ name }) => name === 'GEOIP_DATABASE')!.value!;
    const { mountPath } = volumeMounts.find(({ name }) => name === 'geoip-database')!;
    expect(path).toBe(`${mountPath}/city/GeoLite2-City.mmdb`);
  });

  it('prepares restored databases instead of the topics alone, with the secrets of MongoDB, in one try', async () => {
    const jobIn = async (...options: readonly string[]) => {
      const chart = await renderChart('tls', ...options);
      const [job, ...others] = chart.of<RenderedWorkload & { readonly backoffLimit: number }>('Job');
      expect(others).toEqual([]);
      return job!;
    };
    const [usual, restored] = [await jobIn(), await jobIn('--set', 'topics.restored=true')];
    const { command } = containerOf(restored);
    expect(command).toEqual(['node', '--enable-source-maps', 'apps/platform/dist/restored.js']);
    expect([usual.spec.backoffLimit, restored.spec.backoffLimit]).toEqual([3, 0]);
    expect(restored.metadata.annotations).toEqual(usual.metadata.annotations);
    expect(variablesOf(restored).filter((name) => !variablesOf(usual).includes(name))).toEqual(['MONGO_URL_FILE']);
    const { volumes } = restored.spec.template.spec;
    expect(volumes.map((volume) => volume.secret?.secretName)).toContain('tidings-mongodb-tls');
    const env = environmentOf(containerOf(restored), { folder: secrets, textOf: () => 'user' });
    expect(() => readServiceEnv({ required: ['KAFKA_BROKERS', 'MONGO_URL'], peers: [] }, env)).not.toThrow();
  });

  it('scales by the lag of the groups that consume, with the prefix of the cluster', async () => {
    interface Trigger {
      readonly type: string;
      readonly metadata: { readonly consumerGroup: string };
    }
    const chart = await renderChart('ha', '--set', 'programs.scheduler.autoscaling.enabled=true');
    const scaled = chart.of<{ triggers: readonly Trigger[] }>('ScaledObject');
    const groupsOf = (workload: string): string[] =>
      scaled
        .find(({ metadata }) => metadata.name === `tidings-${workload}`)!
        .spec.triggers.filter(({ type }) => type === 'kafka')
        .map(({ metadata }) => metadata.consumerGroup);
    expect(groupsOf('fanout')).toEqual([fanoutGroups.tasks, fanoutGroups.direct].map((group) => `production.${group}`));
    for (const [service, groups] of Object.entries(consumerGroups))
      expect(groupsOf(service)).toEqual(groups.map((group) => `production.${group}`));
    expect(groupsOf('dispatcher-fcm')).toEqual(lanes.map((lane) => `production.${dispatcherGroup('fcm', lane)}`));
  });

  const taken = (): { readonly free: readonly string[]; readonly own: readonly string[] } => {
    const { properties } = JSON.parse(readFileSync(`${folder}/values.schema.json`, 'utf8')) as {
      properties: { environment: { properties: object } };
    };
    const rendered = valueFiles.flatMap((name) => chartOf(name).workloads.flatMap(variablesOf));
    return {
      free: Object.keys(properties.environment.properties),
      own: rendered.map((variable) => variable.replace(/_FILE$/, '')),
    };
  };

  it('accepts every variable of the programs, as a value of its own or in the environment', () => {
    const { free, own } = taken();
    const all = environmentVariables.filter((variable) => !variable.endsWith('_FILE'));
    expect(all.filter((variable) => ![...free, ...own, ...notSettable].includes(variable))).toEqual([]);
    expect(free.filter((variable) => !all.includes(variable))).toEqual([]);
  });

  it('accepts the variables of traces that docs/configuration.md lists, those with a token from a Secret and not as values', async () => {
    const [, section] = /^## Traces\n(.*?)^## /ms.exec(await readFile('docs/configuration.md', 'utf8'))!;
    const listed = new Set([...section!.matchAll(/`(OTEL_[A-Z_]+)`/g)].map(([, variable]) => variable!));
    expect(listed.size).toBeGreaterThan(10);
    const { free, own } = taken();
    const known = [...free, ...own, ...own.map((variable) => `${variable}_FILE`)];
    expect([...listed].filter((variable) => !known.includes(variable))).toEqual(['OTEL_EXPORTER_OTLP_HEADERS']);
    expect([...listed].filter((variable) => variable.includes('HEADERS') && free.includes(variable))).toEqual([]);
  });

  it('refuses unknown values at every level', async () => {
    const values = parse(await readFile(`${folder}/values.yaml`, 'utf8')) as object;
    // Their keys are the operator's.
    const open = /(^|\.)(annotations|podAnnotations|podLabels|labels|nodeSelector)$/;
    const pathsIn = (value: object, path: readonly string[]): string[] => [
      ...(open.test(path.join('.')) ? [] : [path.join('.')]),
      ...Object.entries(value).flatMap(([key, child]) =>
        typeof child === 'object' && child !== null && !Array.isArray(child)
          ? pathsIn(child as object, [...path, key])
          : [],
      ),
    ];
    const paths = pathsIn(values, []);
    expect(paths.length).toBeGreaterThan(60);
    const options = paths.flatMap((path) => ['--set', `${[path, 'unheardOf'].filter(Boolean).join('.')}=x`]);
    const { stderr } = (await renderChart('default', ...options).catch((error: unknown) => error)) as {
      stderr: string;
    };
    const refused = [...stderr.matchAll(/at '([^']*)': additional properties 'unheardOf'/g)].map(([, path]) =>
      path!.slice(1).replaceAll('/', '.'),
    );
    expect(refused.sort()).toEqual(paths.sort());
  });
});

function clusterWith(deployments: Readonly<Record<string, number>>): Server {
  const resource = { name: 'deployments', singularName: 'deployment', namespaced: true, kind: 'Deployment', verbs: [] };
  const group = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'apps/v1', resources: [resource] };
  const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
  const answerTo = (path: string): object => {
    if (path === '/apis/apps/v1') return group;
    const name = basename(path);
    const replicas = deployments[name];
    if (replicas === undefined) return missing;
    return { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name }, spec: { replicas } };
  };
  return createServer(({ url = '' }, response) => {
    const answer = answerTo(new URL(url, 'http://cluster').pathname);
    response.writeHead(answer === missing ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
}

function environmentIn(name: string): object {
  const read = (file: string): { environment?: object } => parse(readFileSync(`${folder}/${file}`, 'utf8')) as object;
  return { ...read('values.yaml').environment, ...read(`ci/${name}-values.yaml`).environment };
}
