import { join } from 'node:path';
import { addressVariable, freePorts, reachableHost, type ServiceName } from '@tidings/runtime';
import { Member } from './cluster-member.ts';
import {
  type ChannelGroups,
  programOfGroup,
  programsWith,
  type ServiceGroup,
  type ServiceProgram,
} from './service-programs.ts';

export interface LayoutOptions {
  readonly apps: string;
  readonly folder: string;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default the address of the first gateway */
  readonly publicUrl?: string | undefined;
  /** @default 0, a free one */
  readonly port?: number;
  /** @default 0, a free one */
  readonly mailPort?: number | undefined;
  /** @default 0, a free one */
  readonly eventsPort?: number | undefined;
  /** @default a dispatcher for each channel */
  readonly dispatchers?: ChannelGroups;
  /** Services that share a process. @default each has its own */
  readonly groups?: readonly ServiceGroup[] | undefined;
  /** @default 1 */
  readonly replicas?: (service: string) => number;
  readonly sourceMaps?: boolean;
}

const LOOPBACK = '127.0.0.1';
const PORTS_PER_PROCESS = 4;

const open: ReadonlySet<ServiceName> = new Set<ServiceName>(['gateway', 'webhooks']);

export async function layOut(options: LayoutOptions, env: Readonly<Record<string, string>>): Promise<Member[]> {
  const { apps, folder, sourceMaps, dispatchers, groups, replicas = () => 1, host = LOOPBACK } = options;
  const members: { readonly program: ServiceProgram; readonly replica: number }[] = (
    groups?.map(programOfGroup) ?? programsWith(dispatchers)
  ).flatMap((program) => Array.from({ length: replicas(program.name) }, (_, replica) => ({ program, replica })));
  const ports = await freePorts(PORTS_PER_PROCESS * members.length);
  const placed = members.map((member, i) => {
    const [grpc, http, mail, events] = ports.slice(PORTS_PER_PROCESS * i) as [number, number, number, number];
    const own = member.program.services.some((service) => open.has(service)) ? host : LOOPBACK;
    return { ...member, host: own, ports: { grpc, http, mail, events } };
  });
  const running = (service: ServiceName) => placed.filter(({ program }) => program.services.includes(service));
  const first = running('gateway')[0]!;
  if (options.port) first.ports.http = options.port;
  if (options.mailPort) first.ports.mail = options.mailPort;
  const [firstWebhooks] = running('webhooks');
  if (options.eventsPort && firstWebhooks) firstWebhooks.ports.events = options.eventsPort;
  const peers: Record<string, string> = {};
  for (const service of new Set(placed.flatMap(({ program }) => program.services))) {
    peers[addressVariable(service)] = running(service)
      .map(({ host, ports: { grpc } }) => `${reachableHost(host)}:${grpc}`)
      .join(',');
  }
  const publicUrl = options.publicUrl ?? `http://${reachableHost(first.host)}:${first.ports.http}`;
  const shared = { PUBLIC_URL: publicUrl, ...env, ...peers };
  return placed.map(
    (place) => new Member({ ...place, apps, sourceMaps, env: shared, logFolder: join(folder, 'logs') }),
  );
}
