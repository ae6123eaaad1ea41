import { join } from 'node:path';
import { addressVariable, freePorts } from '@tidings/runtime';
import { Member } from './cluster-member.ts';
import { type ChannelGroups, programsWith, type ServiceProgram } from './service-programs.ts';

/** The processes of a cluster, and their places. */
export interface LayoutOptions {
  /** The folder of the built services. */
  readonly apps: string;
  /**
   * Holds the data of the servers that the cluster starts, and the logs of all processes. A cluster started on the same folder continues with its
   * data.
   */
  readonly folder: string;
  /** Port of the first gateway; 0 = a free one. @default 0 */
  readonly port?: number;
  /** Port on which the first gateway takes incoming mail, if `MAIL_BOUNCE_DOMAIN` is set; 0 = a free one. @default 0 */
  readonly mailPort?: number | undefined;
  /** Port on which subscribers dial in to the first webhooks process; 0 = a free one. @default 0 */
  readonly eventsPort?: number | undefined;
  /** The channels that each dispatcher serves. @default a dispatcher for each channel */
  readonly dispatchers?: ChannelGroups;
  /** Number of processes per service. @default 1 */
  readonly replicas?: (service: string) => number;
  /** Whether stacks in logs refer to source lines. @default true */
  readonly sourceMaps?: boolean;
}

/** Assigns ports to every process, and puts the addresses of all into the environment of each. */
export async function layOut(options: LayoutOptions, env: Readonly<Record<string, string>>): Promise<Member[]> {
  const { apps, folder, sourceMaps, dispatchers, replicas = () => 1 } = options;
  const wanted: { readonly program: ServiceProgram; readonly replica: number }[] = programsWith(dispatchers).flatMap(
    (program) => Array.from({ length: replicas(program.name) }, (_, replica) => ({ program, replica })),
  );
  const ports = await freePorts(3 * wanted.length);
  const placed = wanted.map((member, i) => {
    const [grpc, http, further] = ports.slice(3 * i) as [number, number, number];
    return { ...member, ports: { grpc, http, further } };
  });
  const first = placed.find(({ program }) => program.peer === 'gateway')!;
  if (options.port) first.ports.http = options.port;
  if (options.mailPort) first.ports.further = options.mailPort;
  const firstWebhooks = placed.find(({ program }) => program.peer === 'webhooks');
  if (options.eventsPort && firstWebhooks) firstWebhooks.ports.further = options.eventsPort;
  const addresses = Map.groupBy(placed, ({ program }) => program.peer);
  const peers: Record<string, string> = {};
  for (const [peer, processes] of addresses) {
    peers[addressVariable(peer)] = processes.map(({ ports: { grpc } }) => `127.0.0.1:${grpc}`).join(',');
  }
  const shared = { PUBLIC_URL: `http://127.0.0.1:${first.ports.http}`, ...env, ...peers };
  return placed.map(
    (place) => new Member({ ...place, apps, sourceMaps, env: shared, logFolder: join(folder, 'logs') }),
  );
}
