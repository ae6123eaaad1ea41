import { Fault } from '@tidings/kernel';
import { z } from 'zod';
import { type Configuration, linesOf, nonEmpty, reachableHost, readEnv } from './configuration.ts';
import { addressVariable, type ServiceName } from './services.ts';

interface Requirable {
  readonly MONGO_URL: 'mongoUrl';
  readonly KAFKA_BROKERS: 'kafkaBrokers';
  readonly TIDINGS_MASTER_KEY: 'masterKey';
  readonly TIDINGS_ADMIN_TOKEN: 'adminToken';
  readonly TIDINGS_CHANNEL: 'channels';
}

export type RequiredVariable = keyof Requirable;

export type ServiceConfiguration<
  Name extends RequiredVariable = never,
  P extends ServiceName = never,
> = Configuration & {
  readonly [Each in Name as Requirable[Each]]-?: NonNullable<Configuration[Requirable[Each]]>;
} & {
  readonly addresses: Readonly<Record<P, string>>;
};

export interface ServiceNeeds<Name extends RequiredVariable, P extends ServiceName> {
  readonly required: readonly Name[];
  readonly peers: readonly P[];
  /** Services of this process, whose addresses are its own unless they are set. @default none */
  readonly together?: readonly ServiceName[];
}

const address = z
  .string()
  .transform((text) => text.replaceAll(/\s+/g, ''))
  .refine(
    (text) => text.split(',').every((entry) => /^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(entry)),
    'must be host:port[,host:port…]',
  );

export function readServiceEnv<const Name extends RequiredVariable, const P extends ServiceName>(
  { required, peers, together = [] }: ServiceNeeds<Name, P>,
  env: NodeJS.ProcessEnv = process.env,
): ServiceConfiguration<Name, P> {
  const lines: string[] = [];
  const collected = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      lines.push(Fault.from(error).message);
      return undefined;
    }
  };
  const configuration = collected(() => readEnv(env));
  const variables = nonEmpty(env, [
    ...required.flatMap((name) => [name, `${name}_FILE`]),
    ...peers.map(addressVariable),
  ]);
  lines.push(
    ...required
      .filter((name) => (variables[name] ?? variables[`${name}_FILE`]) === undefined)
      .map((name) => `${name}: is required`),
  );
  const defaultOf = (peer: ServiceName): string => {
    if (!configuration || !together.includes(peer)) return `${peer}:9090`;
    const { host, grpcPort } = configuration;
    if (grpcPort === 0 && !variables[addressVariable(peer)])
      lines.push(`${addressVariable(peer)}: is required where GRPC_PORT is 0`);
    return `${reachableHost(host)}:${grpcPort}`;
  };
  const addresses = collected(() => addressesOf(peers, env, defaultOf));
  if (lines.length > 0) throw Fault.argument(lines.join('\n'));
  return { ...configuration, addresses } as unknown as ServiceConfiguration<Name, P>;
}

function addressesOf(
  peers: readonly ServiceName[],
  env: NodeJS.ProcessEnv,
  defaultOf: (peer: ServiceName) => string,
): Record<string, string> {
  const names = peers.map(addressVariable);
  const shape = Object.fromEntries(peers.map((peer) => [addressVariable(peer), address.default(defaultOf(peer))]));
  const { success, data, error } = z.object(shape).safeParse(nonEmpty(env, names));
  if (!success) throw Fault.argument(linesOf(error));
  return Object.fromEntries(peers.map((peer) => [peer, data[addressVariable(peer)]!]));
}
