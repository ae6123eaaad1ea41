import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { services } from '@tidings/runtime';
import {
  containerOf,
  describeWithHelm,
  programOf,
  renderChart,
  type RenderedChart,
  type RenderedObject,
  type RenderedWorkload,
} from '@tidings/testing';
import { parse } from 'yaml';
import { DEVICES, MESSAGES_PER_SECOND, PERIOD_SECONDS, serviceNames as costedServices } from './scale/loads.ts';
import { costsOf, scalePath } from './scale/page.ts';

const serviceNames = Object.keys(services);
const BUILD_TIMEOUT_MS = 20 * 60_000;

type Workload = RenderedObject<RenderedWorkload>;

const optionsIn = (text: string): string[] => [...text.matchAll(/--set (\S+)/g)].flatMap(([, set]) => ['--set', set!]);

describeWithHelm('the Helm chart of docs/kubernetes.md', () => {
  const charts = new Map<string, RenderedChart>();
  const chartOf = (name: string): RenderedChart => charts.get(name)!;
  let folder: string;

  beforeAll(async () => {
    await Promise.all(['default', 'ha', 'tls'].map(async (name) => charts.set(name, await renderChart(name))));
    folder = await mkdtemp(join(tmpdir(), 'tidings-chart-page-'));
  }, BUILD_TIMEOUT_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('calls services by the names of the certificate on the page', async () => {
    const page = await readFile('docs/kubernetes.md', 'utf8');
    const [, names] = /dnsNames: \[(.*)\]/.exec(page)!;
    const calledIn = (chart: RenderedChart): string[] => {
      const env = chart.deployments.flatMap((deployment) => containerOf(deployment).env);
      const addresses = env.flatMap(({ name, value }) => (name.endsWith('_ADDRESS') ? [value!] : []));
      return [...new Set(addresses.map((address) => address.split(':')[0]!))].sort();
    };
    const called = calledIn(chartOf('default'));
    expect(names!.split(', ').sort()).toEqual(called);
    const overridden = [
      await renderChart('default', '--set', 'nameOverride=push'),
      await renderChart('default', '--set', 'fullnameOverride=push'),
    ];
    expect(overridden.map(calledIn)).toEqual([
      called.map((name) => name.replace('tidings', 'tidings-push')),
      called.map((name) => name.replace('tidings', 'push')),
    ]);
  });

  const kubernetesPage = async (): Promise<{ readonly page: string; readonly example: string }> => {
    const page = await readFile('docs/kubernetes.md', 'utf8');
    const example = join(folder, 'values.yaml');
    await writeFile(example, /```yaml\n(.*?)```/s.exec(page)![1]!);
    return { page, example };
  };

  it('needs for the example of the page the Secrets that the page creates, with their keys', async () => {
    const { page, example } = await kubernetesPage();
    const chart = await renderChart('tiny', '--values', example);
    const ofPods = chart.workloads.flatMap(({ spec }) => {
      const { containers, volumes } = spec.template.spec;
      const variables = containers[0].env.flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef] : []));
      const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
      const files = sources.flatMap(({ secret }) => secret.items.map(({ key }) => ({ name: secret.name, key })));
      return [...variables, ...files].map(({ name, key }) => `${name} ${key}`);
    });
    const ofIngress = chart
      .of<{ readonly tls: readonly { readonly secretName: string }[] }>('Ingress')
      .flatMap(({ spec }) => spec.tls.map(({ secretName }) => `${secretName} tls.crt`));
    const steps = page.replaceAll('\\\n', ' ').matchAll(/create secret (generic|tls) (\S+) (.*)/g);
    const made = [...steps].flatMap(([, kind, name, options]) => {
      const given = [...options!.matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => key!);
      return (kind === 'tls' ? ['tls.crt'] : given).map((key) => `${name!} ${key}`);
    });
    expect([...new Set([...ofPods, ...ofIngress])].sort()).toEqual(made.sort());
  });

  it('accepts the example of the page, with the images that the page builds, and has the values that it names', async () => {
    const { page, example } = await kubernetesPage();
    const chart = await renderChart('tiny', '--values', example, ...optionsIn(page.split('\n## Restore\n')[1]!));
    const job = chart.workloads.find(({ kind }) => kind === 'Job')!;
    expect(containerOf(job).command).toContain('apps/platform/dist/restored.js');

    const [, apps, image] = /for app in ([^;]+);.*?-t (\S+)/s.exec(page)!;
    const built = apps!.split(' ').map((app) => image!.replace('$app', app));
    expect(built).toEqual(expect.arrayContaining(chart.workloads.map((workload) => containerOf(workload).image)));

    const values = parse(await readFile('deploy/helm/tidings/values.yaml', 'utf8')) as {
      readonly topics: { readonly activeDeadlineSeconds: number };
    };
    expect(page).toContain(`fails after ${values.topics.activeDeadlineSeconds} s`);
    // The variables of `environment` are in the schema alone.
    const paths = [...page.matchAll(/`([a-z]\w+(?:\.\w+)+)`/gi)]
      .map(([, path]) => path!.split('.'))
      .filter(([first]) => first !== 'environment' && Object.hasOwn(values, first!));
    const has = (value: unknown, [key, ...rest]: readonly string[]): boolean =>
      key === undefined || (Object.hasOwn(value as object, key) && has((value as Record<string, unknown>)[key], rest));
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !has(values, path)).map((path) => path.join('.'))).toEqual([]);
  });

  it('replaces the registry and the fan-out first and the gateway last by the commands of the page', async () => {
    const { page } = await kubernetesPage();
    const commands = page.match(/^helm upgrade .*$/gm)!;
    const notReplaced = commands.map(async (command) => {
      // The chart of the new version has its tag.
      const { workloads } = await renderChart('default', '--set', 'image.tag=0.2.0', ...optionsIn(command));
      const tagOf = (workload: Workload): string => containerOf(workload).image.split(':').at(-1)!;
      for (const workload of workloads)
        expect(workload.metadata.labels['app.kubernetes.io/version']).toBe(tagOf(workload));
      return [...new Set(workloads.filter((each) => tagOf(each) !== '0.2.0').map(programOf))];
    });
    const [first, ...others] = await Promise.all(notReplaced);
    // Version 0.1.0 has the program of the fan-out at another path.
    const later = serviceNames.filter((name) => name !== 'registry' && name !== 'fanout');
    expect(first!.sort()).toEqual(later.sort());
    expect(others).toEqual([['gateway'], []]);
  });

  it('requests the CPU of docs/scale.md: for the base by default, for ten times the base with added pods', async () => {
    const costs = costsOf(await readFile(scalePath, 'utf8'));
    const { page } = await kubernetesPage();
    const requestsIn = (name: string, program: string): number[] =>
      chartOf(name)
        .deployments.filter((deployment) => programOf(deployment) === program)
        .map((deployment) => parseInt(containerOf(deployment).resources.requests['cpu']!, 10));
    for (const name of costedServices) {
      const { push, message } = costs[name];
      const all = ((DEVICES / PERIOD_SECONDS) * push) / 1e3 + MESSAGES_PER_SECOND * message;
      const base = name === 'dispatcher' ? all / 2 : all;
      const cells = [base, 10 * base].map((cpu) => `${cpu.toFixed(0)}m`).join(' \\| ');
      expect(page).toMatch(new RegExp(`^\\| ${name}\\b.* \\| ${cells} \\|$`, 'm'));
      const program = name.replace('-', '');
      // The default is a round number near the base of each.
      for (const request of requestsIn('default', program)) expect(1.2 * request).toBeGreaterThan(base);
      for (const request of requestsIn('ha', program)) expect(3 * request).toBeGreaterThan(10 * base);
    }
  });

  it('lets the largest body and the longest wait of the gateway pass the Ingress', async () => {
    const { example } = await kubernetesPage();
    const limits = await readFile('docs/operations/limits.md', 'utf8');
    const [, mebibytes] = /^\| a body \|.* of bulk requests (\d+) MiB/m.exec(limits)!;
    const [, seconds] = /^\| a connection without traffic in either direction \| (\d+) s/m.exec(limits)!;
    for (const chart of [chartOf('tls'), await renderChart('tiny', '--values', example)]) {
      const [ingress] = chart.of('Ingress');
      const annotationOf = (name: string) => ingress!.metadata.annotations?.[`nginx.ingress.kubernetes.io/${name}`];
      expect(annotationOf('proxy-body-size')).toBe(`${mebibytes}m`);
      for (const name of ['proxy-send-timeout', 'proxy-read-timeout'])
        expect(Number(annotationOf(name))).toBeGreaterThan(Number(seconds));
    }
  });
});
