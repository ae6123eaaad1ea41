import type { BackendName, ServiceName } from '@tidings/runtime';
import { type Codec, inProcess, type ServiceDefinition } from './binding.ts';
import { AccountsDefinition } from './generated/tidings/rpc/v1/accounts.ts';
import { AddressesDefinition } from './generated/tidings/rpc/v1/addresses.ts';
import { ApplicationsDefinition } from './generated/tidings/rpc/v1/applications.ts';
import { AttemptsDefinition } from './generated/tidings/rpc/v1/attempts.ts';
import { AudiencesDefinition } from './generated/tidings/rpc/v1/audiences.ts';
import { DeadLettersDefinition } from './generated/tidings/rpc/v1/dead_letters.ts';
import { DevicesDefinition } from './generated/tidings/rpc/v1/devices.ts';
import { GeozonesDefinition } from './generated/tidings/rpc/v1/geozones.ts';
import { InboxDefinition } from './generated/tidings/rpc/v1/inbox.ts';
import { JobsDefinition } from './generated/tidings/rpc/v1/jobs.ts';
import { type Operations, OperationsDefinition } from './generated/tidings/rpc/v1/operations.ts';
import { PlansDefinition } from './generated/tidings/rpc/v1/plans.ts';
import { PlatformsDefinition } from './generated/tidings/rpc/v1/platforms.ts';
import { PresetsDefinition } from './generated/tidings/rpc/v1/presets.ts';
import { ProvidersDefinition } from './generated/tidings/rpc/v1/providers.ts';
import { MessagesDefinition } from './generated/tidings/rpc/v1/scheduler.ts';
import { SegmentsDefinition } from './generated/tidings/rpc/v1/segments.ts';
import { SentValuesDefinition } from './generated/tidings/rpc/v1/sent_values.ts';
import { StatisticsDefinition } from './generated/tidings/rpc/v1/statistics.ts';
import { TagsDefinition } from './generated/tidings/rpc/v1/tags.ts';
import { TestDeviceListDefinition } from './generated/tidings/rpc/v1/test_devices.ts';
import { TokensDefinition } from './generated/tidings/rpc/v1/tokens.ts';
import { EventHistoryDefinition, SubscriptionsDefinition } from './generated/tidings/rpc/v1/webhooks.ts';

const ACCOUNTS = AccountsDefinition.fullName;

/** Every process serves `Operations`, which is not listed. */
export const rpcServices = {
  accounts: { owner: 'registry', definition: AccountsDefinition },
  addresses: { owner: 'registry', definition: AddressesDefinition, formerly: ACCOUNTS },
  applications: { owner: 'registry', definition: ApplicationsDefinition, formerly: ACCOUNTS },
  attempts: { owner: 'dispatcher', definition: AttemptsDefinition },
  audiences: { owner: 'registry', definition: AudiencesDefinition },
  deadLetters: { owner: 'statistics', definition: DeadLettersDefinition },
  devices: { owner: 'registry', definition: DevicesDefinition },
  eventHistory: { owner: 'webhooks', definition: EventHistoryDefinition },
  geozones: { owner: 'registry', definition: GeozonesDefinition },
  inbox: { owner: 'registry', definition: InboxDefinition },
  jobs: { owner: 'audience-jobs', definition: JobsDefinition },
  messages: { owner: 'scheduler', definition: MessagesDefinition },
  platforms: { owner: 'registry', definition: PlatformsDefinition, formerly: ACCOUNTS },
  plans: { owner: 'registry', definition: PlansDefinition },
  presets: { owner: 'registry', definition: PresetsDefinition },
  providers: { owner: 'dispatcher', definition: ProvidersDefinition },
  segments: { owner: 'registry', definition: SegmentsDefinition },
  sentValues: { owner: 'dispatcher', definition: SentValuesDefinition },
  statistics: { owner: 'statistics', definition: StatisticsDefinition },
  subscriptions: { owner: 'webhooks', definition: SubscriptionsDefinition },
  tags: { owner: 'registry', definition: TagsDefinition, formerly: ACCOUNTS },
  testDevices: { owner: 'registry', definition: TestDeviceListDefinition, formerly: ACCOUNTS },
  tokens: { owner: 'registry', definition: TokensDefinition, formerly: ACCOUNTS },
} as const satisfies Readonly<Record<string, RpcService>>;

interface RpcService {
  readonly owner: BackendName;
  readonly definition: ServiceDefinition;
  readonly formerly?: string;
}

type Table = typeof rpcServices;
type MessageOf<Message extends Codec> = ReturnType<Message['decode']>;

type ServiceOf<Definition extends ServiceDefinition> = {
  -readonly [Name in keyof Definition['methods']]: (
    request: MessageOf<Definition['methods'][Name]['requestType']>,
  ) => Definition['methods'][Name]['responseStream'] extends true
    ? AsyncIterable<MessageOf<Definition['methods'][Name]['responseType']>>
    : Promise<MessageOf<Definition['methods'][Name]['responseType']>>;
};

export type RpcServices = { readonly [Name in keyof Table]: ServiceOf<Table[Name]['definition']> };

export type ServicesOf<Owner extends BackendName> = Pick<
  RpcServices,
  { [Name in keyof Table]: Table[Name]['owner'] extends Owner ? Name : never }[keyof Table]
>;

export type Served<Owner extends BackendName> = ServicesOf<Owner> & { readonly operations: Operations };

export type NamedDefinition = readonly [name: string, definition: ServiceDefinition];

const entriesOf = (owner: ServiceName): readonly (readonly [name: string, service: RpcService])[] =>
  Object.entries<RpcService>(rpcServices).filter(([, service]) => service.owner === owner);

export const definitionsOf = (owner: BackendName): readonly NamedDefinition[] =>
  entriesOf(owner).map(([name, { definition }]) => [name, definition]);

export const servedBy = (owner: ServiceName): readonly NamedDefinition[] =>
  entriesOf(owner).flatMap(([name, { definition, formerly }]): NamedDefinition[] => [
    [name, definition],
    ...(formerly === undefined ? [] : [[name, { ...definition, fullName: formerly }] as const]),
  ]);

export const servedByEveryProcess: readonly NamedDefinition[] = [['operations', OperationsDefinition]];

export function inProcessServices<Owner extends BackendName>(
  owner: Owner,
  served: ServicesOf<Owner>,
): ServicesOf<Owner> {
  const implementations = new Map(Object.entries<object>(served));
  return Object.fromEntries(
    definitionsOf(owner).map(([name, definition]) => [name, inProcess(definition, implementations.get(name) ?? {})]),
  ) as ServicesOf<Owner>;
}
