import { join } from 'node:path';
import { addressVariable, freePorts, type ServiceName } from '@tidings/runtime';
import { Member, reachableHost } from './cluster-member.ts';
import { type ChannelGroups, programsWith, type ServiceProgram } from './service-programs.ts';

export interface LayoutOptions {
  readonly apps: string;
  readonly folder: string;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default the address of the first gateway */
  readonly publicUrl?: string | undefined;
  /** 0 = a free one. @default 0 */
  readonly port?: number;
  /** 0 = a free one. @default 0 */
  readonly mailPort?: number | undefined;
  /** 0 = a free one. @default 0 */
  readonly eventsPort?: number | undefined;
  /** @default a dispatcher for each channel */
  readonly dispatchers?: ChannelGroups;
  /** @default 1 */
  readonly replicas?: (service: string) => number;
  readonly sourceMaps?: boolean;
}

const LOOPBACK = '127.0.0.1';

const open: ReadonlySet<ServiceName> = new Set<ServiceName>(['gateway', 'webhooks']);

export async function layOut(options: LayoutOptions, env: Readonly<Record<string, string>>): Promise<Member[]> {
  const { apps, folder, sourceMaps, dispatchers, replicas = () => 1, host = LOOPBACK } = options;
  const members: { readonly program: ServiceProgram; readonly replica: number }[] = programsWith(dispatchers).flatMap(
    (program) => Array.from({ length: replicas(program.name) }, (_, replica) => ({ program, replica })),
  );
  const ports = await freePorts(3 * members.length);
  const placed = members.map((member, i) => {
    const [grpc, http, further] = ports.slice(3 * i) as [number, number, number];
    const own = open.has(member.program.peer) ? host : LOOPBACK;
    return { ...member, host: own, ports: { grpc, http, further } };
  });
  const first = placed.find(({ program }) => program.peer === 'gateway')!;
  if (options.port) first.ports.http = options.port;
  if (options.mailPort) first.ports.further = options.mailPort;
  const firstWebhooks = placed.find(({ program }) => program.peer === 'webhooks');
  if (options.eventsPort && firstWebhooks) firstWebhooks.ports.further = options.eventsPort;
  const addresses = Map.groupBy(placed, ({ program }) => program.peer);
  const peers: Record<string, string> = {};
  for (const [peer, processes] of addresses) {
    peers[addressVariable(peer)] = processes
      .map(({ host, ports: { grpc } }) => `${reachableHost(host)}:${grpc}`)
      .join(',');
  }
  const publicUrl = options.publicUrl ?? `http://${reachableHost(first.host)}:${first.ports.http}`;
  const shared = { PUBLIC_URL: publicUrl, ...env, ...peers };
  return placed.map(
    (place) => new Member({ ...place, apps, sourceMaps, env: shared, logFolder: join(folder, 'logs') }),
  );
}
