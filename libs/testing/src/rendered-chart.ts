import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServiceName } from '@tidings/runtime';
import { describeWhere } from './describe-where.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const TOOL = 'tools/chart.mjs';
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export type Labels = Readonly<Record<string, string>>;

export interface RenderedObject<Spec = Readonly<Record<string, unknown>>> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Labels;
    readonly annotations?: Labels;
  };
  readonly spec: Spec;
}

export interface RenderedProbe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface RenderedContainer {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly resources: Readonly<Record<'requests' | 'limits', Labels>>;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly startupProbe: RenderedProbe;
  readonly readinessProbe: RenderedProbe;
  readonly livenessProbe: RenderedProbe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
}

export interface RenderedVolume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly secret?: { readonly secretName: string };
  readonly configMap?: { readonly name: string };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly: boolean };
  readonly projected?: {
    readonly sources: readonly {
      readonly secret: {
        readonly name: string;
        readonly items: readonly { readonly key: string; readonly path: string }[];
      };
    }[];
  };
}

export interface RenderedWorkload {
  readonly replicas?: number;
  readonly selector?: { readonly matchLabels: Labels };
  readonly template: {
    readonly metadata: { readonly labels: Labels };
    readonly spec: {
      readonly containers: readonly [RenderedContainer];
      readonly volumes: readonly RenderedVolume[];
      readonly terminationGracePeriodSeconds?: number;
      readonly topologySpreadConstraints?: readonly {
        readonly topologyKey: string;
        readonly whenUnsatisfiable: string;
      }[];
      readonly securityContext: Readonly<Record<string, unknown>>;
      readonly automountServiceAccountToken: boolean;
      readonly enableServiceLinks: boolean;
      readonly serviceAccountName?: string;
    };
  };
}

/** Builds helm first where it is missing, in minutes. @throws Error with helm's message in `stderr` */
export async function renderChart(values: string, ...options: readonly string[]): Promise<RenderedChart> {
  const args = [TOOL, '--render', values, ...options];
  const settings = { cwd: repository, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await promisify(execFile)(process.execPath, args, settings);
  return new RenderedChart(JSON.parse(stdout) as RenderedObject[]);
}

export class RenderedChart {
  readonly objects: readonly RenderedObject[];

  constructor(objects: readonly RenderedObject[]) {
    this.objects = objects;
  }

  of<Spec>(...kinds: readonly string[]): readonly RenderedObject<Spec>[] {
    return this.objects.filter(({ kind }) => kinds.includes(kind)) as readonly RenderedObject<Spec>[];
  }

  get deployments(): readonly RenderedObject<RenderedWorkload>[] {
    return this.of<RenderedWorkload>('Deployment');
  }

  get workloads(): readonly RenderedObject<RenderedWorkload>[] {
    return this.of<RenderedWorkload>('Deployment', 'Job');
  }

  selectedBy(labels: Labels): readonly RenderedObject<RenderedWorkload>[] {
    return this.deployments.filter(({ spec }) => isSelected(spec.template.metadata.labels, labels));
  }
}

export const SECRETS_FOLDER = '/run/secrets/tidings';

const FILES_FOLDER = '/run/files';

/** @param files the folder in place of the container's */
export const environmentOf = (
  { env }: RenderedContainer,
  { folder, textOf }: { readonly folder: string; readonly textOf: (key: string) => string },
): Record<string, string> =>
  Object.fromEntries(
    env.map(({ name, value, valueFrom }) => [
      name,
      valueFrom
        ? textOf(valueFrom.secretKeyRef.key)
        : value!.replace(SECRETS_FOLDER, folder).replace(FILES_FOLDER, folder),
    ]),
  );

export const isSelected = (labels: Labels, selector: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

export const programOf = ({ metadata }: Pick<RenderedObject, 'metadata'>): string =>
  metadata.labels['app.kubernetes.io/component']!;

/** The program itself, or those that share its process. */
export function servicesOf(
  workload: Pick<RenderedObject<RenderedWorkload>, 'metadata' | 'spec'>,
): readonly ServiceName[] {
  const together = containerOf(workload).env.find(({ name }) => name === 'TIDINGS_SERVICES')?.value;
  return (together?.split(',') ?? [programOf(workload)]).filter((name) => name !== 'topics') as ServiceName[];
}

export const containerOf = ({ spec }: Pick<RenderedObject<RenderedWorkload>, 'spec'>): RenderedContainer =>
  spec.template.spec.containers[0];

export function describeWithHelm(name: string, suite: () => void): void {
  const canRender = spawnSync(process.execPath, [TOOL, '--can-render'], { cwd: repository }).status === 0;
  describeWhere(canRender)(name, suite);
}
