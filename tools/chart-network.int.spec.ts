import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AddressRanges, type ServiceName, services } from '@tidings/runtime';
import {
  describeWithHelm,
  isSelected,
  type Labels,
  programOf,
  renderChart,
  type RenderedChart,
  type RenderedObject,
  type RenderedWorkload,
  servicesOf,
} from '@tidings/testing';

const folder = 'deploy/helm/tidings';
const valueFiles = globSync(`${folder}/ci/*-values.yaml`).map((file) => basename(file, '-values.yaml'));
const BUILD_TIMEOUT_MS = 20 * 60_000;

type Workload = RenderedObject<RenderedWorkload>;
const labelsOf = ({ spec }: Workload): Labels => spec.template.metadata.labels;
const jobOf = ({ workloads }: RenderedChart): Workload => workloads.find(({ kind }) => kind === 'Job')!;

interface PolicyRule {
  readonly ports?: readonly { readonly port: number | string }[];
  readonly to?: readonly PolicyPeer[];
  readonly from?: readonly PolicyPeer[];
}
interface PolicyBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}
interface PolicyPeer {
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly ipBlock?: PolicyBlock;
}
interface PolicySpec {
  readonly podSelector: { readonly matchLabels: Labels };
  readonly ingress?: readonly PolicyRule[];
  readonly egress?: readonly PolicyRule[];
}

const policiesOf = (chart: RenderedChart, workload: Workload): readonly RenderedObject<PolicySpec>[] =>
  chart
    .of<PolicySpec>('NetworkPolicy')
    .filter(({ spec }) => isSelected(labelsOf(workload), spec.podSelector.matchLabels));

/** Addresses of anywhere include those of pods. */
function mayCall(chart: RenderedChart, caller: Workload, callee: Workload): boolean {
  const opens = (direction: 'ingress' | 'egress', of: Workload, other: Workload): boolean => {
    const policies = policiesOf(chart, of);
    const rules = policies.flatMap(({ spec }) => spec[direction] ?? []);
    const isPeer = ({ podSelector, ipBlock }: PolicyPeer): boolean =>
      ipBlock !== undefined || (podSelector !== undefined && isSelected(labelsOf(other), podSelector.matchLabels));
    return (
      policies.length === 0 ||
      rules.some(({ ports, to, from }) => {
        const peers = to ?? from;
        return (ports?.some(({ port }) => [9090, 'grpc'].includes(port)) ?? true) && (peers?.some(isPeer) ?? true);
      })
    );
  };
  return opens('egress', caller, callee) && opens('ingress', callee, caller);
}

describeWithHelm('the network policies of the Helm chart', () => {
  const charts = new Map<string, RenderedChart>();
  const chartOf = (name: string): RenderedChart => charts.get(name)!;

  beforeAll(async () => {
    await Promise.all(valueFiles.map(async (name) => charts.set(name, await renderChart(name))));
  }, BUILD_TIMEOUT_MS);

  describe.each(valueFiles)('the policies with the values %s', (name) => {
    it('let each service call exactly its peers', () => {
      const chart = chartOf(name);
      const policies = chart.of('NetworkPolicy').length;
      // One for each program, whatever its channels, that of the topics, and that of the doctor.
      expect([0, new Set(chart.workloads.map(programOf)).size + 1]).toContain(policies);
      if (policies === 0) return;
      for (const caller of chart.workloads) {
        const service = programOf(caller);
        const calls = servicesOf(caller).flatMap((each): readonly ServiceName[] => services[each].peers);
        const called = chart.deployments.filter((callee) => servicesOf(callee).some((each) => calls.includes(each)));
        expect(called.flatMap(servicesOf)).toEqual(expect.arrayContaining(calls));
        expect([service, chart.deployments.filter((callee) => mayCall(chart, caller, callee))]).toEqual([
          service,
          called,
        ]);
      }
    });

    it('open the network for the Job of the topics before the Job, during its run', () => {
      const chart = chartOf(name);
      const job = jobOf(chart);
      const selecting = policiesOf(chart, job);
      expect(selecting).toHaveLength(chart.of('NetworkPolicy').length === 0 ? 0 : 1);
      for (const { metadata } of selecting) {
        const { 'helm.sh/hook-weight': weight, ...hook } = metadata.annotations ?? {};
        // The weight of a hook is 0 unless it has one.
        expect(Number(weight)).toBeLessThan(0);
        expect(hook).toEqual(job.metadata.annotations);
      }
    });
  });

  it('let the Job of the topics reach MongoDB only if it prepares restored databases', async () => {
    const restored = await renderChart('tls', '--set', 'topics.restored=true');
    const reaches = [chartOf('tls'), restored].map((chart) => {
      const rules = policiesOf(chart, jobOf(chart)).flatMap(({ spec }) => spec.egress ?? []);
      return rules.some(({ ports }) => ports!.some(({ port }) => port === 27_017));
    });
    expect(reaches).toEqual([false, true]);
  });

  it('keep dispatchers and webhooks from private, link-local and reserved addresses, except those that values name', async () => {
    const outboundOf = (chart: RenderedChart, service: string): readonly PolicyPeer[] => {
      const workload = chart.deployments.find((each) => programOf(each) === service)!;
      const rules = policiesOf(chart, workload).flatMap(({ spec }) => spec.egress ?? []);
      return rules.flatMap(({ ports, to }) => (ports ? [] : (to ?? [])));
    };
    const chart = chartOf('default');
    const [v4, v6, ...others] = outboundOf(chart, 'webhooks').map(({ ipBlock }) => ipBlock);
    expect([v4!.cidr, v6!.cidr, others]).toEqual(['0.0.0.0/0', '::/0', []]);
    const excepted = new AddressRanges([...v4!.except!, ...v6!.except!]);
    const reserved = ['10.1.2.3', '172.20.0.1', '192.168.1.1', '169.254.169.254', '168.63.129.16', '100.100.100.200'];
    for (const address of [...reserved, '127.0.0.1', 'fd00:ec2::254', 'fe80::1'])
      expect(excepted.has(address)).toBe(true);
    for (const address of ['93.184.216.34', '2606:2800:220:1::1']) expect(excepted.has(address)).toBe(false);
    expect(outboundOf(chart, 'dispatcher')).toEqual(outboundOf(chart, 'webhooks'));
    expect(outboundOf(chart, 'gateway')).toEqual([]);
    const relay = await renderChart('default', '--set', 'networkPolicy.outboundPrivate[0].ipBlock.cidr=10.0.0.25/32');
    expect(outboundOf(relay, 'webhooks').at(-1)).toEqual({ ipBlock: { cidr: '10.0.0.25/32' } });
  });

  it('limit callers of the API, of event streams and of incoming mail separately', async () => {
    const peersIn = (chart: RenderedChart) => {
      const rules = chart.of<PolicySpec>('NetworkPolicy').flatMap(({ spec }) => spec.ingress ?? []);
      const peersOf = (allowedPort: string) =>
        rules.filter(({ ports }) => ports!.some(({ port }) => port === allowedPort)).map(({ from }) => from ?? 'any');
      return { http: peersOf('http'), events: peersOf('events'), smtp: peersOf('smtp') };
    };
    const gateways = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateways' } } }];
    const doctor = [
      {
        podSelector: {
          matchLabels: {
            'app.kubernetes.io/name': 'tidings',
            'app.kubernetes.io/instance': 'tidings',
            'app.kubernetes.io/component': 'doctor',
          },
        },
      },
    ];
    expect(peersIn(chartOf('all-channels'))).toEqual({ http: [gateways, doctor], events: [gateways], smtp: ['any'] });
    const options = [
      ...['--set', 'networkPolicy.events[0].ipBlock.cidr=192.0.2.0/24'],
      ...['--set', 'networkPolicy.mail[0].ipBlock.cidr=198.51.100.7/32'],
    ];
    expect(peersIn(await renderChart('all-channels', ...options))).toEqual({
      http: [gateways, doctor],
      events: [[{ ipBlock: { cidr: '192.0.2.0/24' } }]],
      smtp: [[{ ipBlock: { cidr: '198.51.100.7/32' } }]],
    });
    expect(peersIn(chartOf('default'))).toEqual({ http: ['any'], events: ['any'], smtp: [] });
  });
});
