import { every } from '@tidings/coordination';
import { commitRetention, type LogWriter, openCommits, openRedaction } from '@tidings/event-store';
import { defaultQuotas, numberIds, type Quotas, trustedTime } from '@tidings/kernel';
import { createCollections, leaseReplica, replicaMetrics } from '@tidings/mongo';
import { DeviceScan, openTags, outgoingModel, planEventCodec, plansModel } from '@tidings/registry-store';
import type { Devices, Served } from '@tidings/rpc';
import {
  type Closing,
  type Open,
  openWith,
  type OpenWork,
  operationsOf,
  RESEAL_EVERY_MS,
  type ServiceDeps,
} from '@tidings/runtime';
import { openLogCategory } from '@tidings/service/log-category';
import { type Broker, incidentsTo } from '@tidings/streaming';
import { createDefaultAccount } from './accounts/default-account.ts';
import { accountsLog } from './accounts/account-log.ts';
import { configurationRecords } from './configuration-records.ts';
import { openResealing } from './accounts/reseal.ts';
import { accountsRpc } from './accounts/accounts-rpc.ts';
import { type AccountStore, openAccountStore } from './accounts/account-store.ts';
import { type AccountWriter, accountWriter } from './accounts/account-writer.ts';
import { openIcons } from './applications/icons.ts';
import { languageCounts, LanguageFigures } from './applications/language-counts.ts';
import { openOwners } from './applications/owners.ts';
import { platformsRpc } from './applications/platforms-rpc.ts';
import { openPurge, type Purge } from './purge/purge-applications.ts';
import { applicationsRpc } from './applications/applications-rpc.ts';
import { openBlacklist } from './addresses/blacklist.ts';
import { addressesRpc } from './addresses/addresses-rpc.ts';
import { applyRpc } from './devices/commands/apply.ts';
import { batchRpc } from './devices/commands/apply-batch.ts';
import type { DeviceLogReply } from './devices/commands/device-log-command.ts';
import { contactsRpc } from './devices/queries/find-contacts.ts';
import { type FindDevicesDeps, findDevicesRpc } from './devices/queries/find-devices.ts';
import { SUPPRESSED_ADDRESSES_GROUP, suppressAddresses } from './devices/reactions/suppressed-addresses.ts';
import { DEAD_TOKENS_GROUP, forgetDeadTokens } from './devices/reactions/dead-tokens.ts';
import { describeRpc } from './devices/queries/describe-devices.ts';
import { shownBadgesOf } from './plans/shown-badges.ts';
import { redactErased, ERASURE_GROUP } from './devices/reactions/erasure.ts';
import { getTagsRpc } from './devices/queries/get-tags.ts';
import { suppressedRpc } from './devices/queries/find-suppressed.ts';
import { locateRpc } from './devices/queries/locate.ts';
import { type DeviceLogInput, devicesLog } from './devices/commands/device-log.ts';
import { mergeUserRpc } from './devices/commands/merge-user.ts';
import { openSelfReported } from './devices/storage/self-reported.ts';
import { audiencesRpc } from './audiences/resolve-audience.ts';
import { deviceRecords } from './devices/reactions/device-records.ts';
import { resolveRpc } from './devices/queries/resolve-devices.ts';
import { openSequences } from './devices/storage/sequences.ts';
import { keepTokensUnique, TOKEN_OWNERS_GROUP } from './devices/reactions/token-owners.ts';
import { reportRpc } from './geozones/report.ts';
import { geozonesRpc } from './geozones/geozones-rpc.ts';
import { openGeozoneStore } from './geozones/geozone-store.ts';
import { visitRecords, visitsLog } from './geozones/visit-log.ts';
import { InboxStates } from './entry-states/entry-states.ts';
import { inboxRpc } from './inbox/inbox-rpc.ts';
import { presetsRpc } from './presets/presets-rpc.ts';
import { resolvePresetsRpc } from './presets/resolve-presets.ts';
import { openPresetStore } from './presets/preset-store.ts';
import { plansRpc } from './plans/device-plans.ts';
import { expireFilters } from './segments/filter-expiry.ts';
import { filterCodes } from './segments/find.ts';
import { segmentsRpc } from './segments/segments-rpc.ts';
import { openTagClearing, type TagClearing } from './tags/clearing.ts';
import { tagsRpc } from './tags/tags-rpc.ts';
import { testDevicesRpc } from './test-devices/test-devices-rpc.ts';
import { Buckets } from './tokens/buckets.ts';
import { tokensRpc } from './tokens/tokens-rpc.ts';
import { collections } from './collections.ts';

export interface RegistryDeps extends ServiceDeps {
  readonly broker: Broker;
  /** Other processes serve the same registry. @default false */
  readonly hasReplicas?: boolean;
  readonly quotas?: Quotas;
}

export interface RegistryService extends Served<'registry'> {
  close(): Promise<void>;
}

/** Token uniqueness must hold within a second. */
const DEVICES_LINGER_MS = 50;

const EXPIRY_EVERY_MS = 5_000;
const PURGE_EVERY_MS = 2_500;
const ICONS_EVERY_MS = 60_000;
const INBOXES_EVERY_MS = 60_000;

const lagOf =
  (broker: Broker): Open =>
  async () => {
    const lags = await Promise.all(
      [TOKEN_OWNERS_GROUP, DEAD_TOKENS_GROUP, SUPPRESSED_ADDRESSES_GROUP, ERASURE_GROUP].map(async (group) => ({
        group,
        lag: await broker.lag(group),
      })),
    );
    return lags.flatMap(({ group, lag }) =>
      lag
        .filter(({ committed, end }) => committed < end)
        .map(({ topic, partition }) => `${group}: ${topic} ${partition}`),
    );
  };

/** In the order in which work flows. */
async function allOpen(parts: readonly Open[]): Promise<string[]> {
  const open: string[] = [];
  for (const part of parts) open.push(...(await part()));
  return open;
}

export const openRegistry = (deps: RegistryDeps): Promise<RegistryService> =>
  openWith(deps.log, (closing) => compose(deps, closing));

interface Worked {
  readonly store: AccountStore;
  readonly write: AccountWriter;
  readonly accountsDefinition: ReturnType<typeof accountsLog>;
  readonly definition: ReturnType<typeof devicesLog>;
  readonly logs: LogWriter<DeviceLogInput, DeviceLogReply>;
}

async function openWork(
  { db, clock, log, metrics, broker, keys, exclusive }: RegistryDeps,
  { store, write, accountsDefinition, definition, logs }: Worked,
  closing: Closing,
): Promise<{ readonly clearing: TagClearing; readonly open: readonly Open[]; readonly purge: Purge }> {
  const reaction = { db, clock, broker, logs, report: incidentsTo(log, metrics) };
  closing.add('token owners', await keepTokensUnique(reaction), (subscription) => subscription.stop());
  const tokenKeys = { token: keys.identity['push-token'] };
  closing.add('dead tokens', await forgetDeadTokens({ ...reaction, keys: tokenKeys }), (subscription) =>
    subscription.stop(),
  );
  const suppressed = await suppressAddresses({ ...reaction, write });
  closing.add('suppressed addresses', suppressed, (subscription) => subscription.stop());

  const commits = openRedaction(db, definition);
  closing.add('erasure', await redactErased({ ...reaction, commits }), (subscription) => subscription.stop());

  const expire = (): Promise<void> => expireFilters(store, write, clock);
  const expiry = every(EXPIRY_EVERY_MS, expire, { name: 'expiry of filters', log, clock });
  closing.add('expiry of filters', expiry, (periodic) => periodic.stop());
  const dueFilters: Open = async () => {
    const due = await store.dueFilters(new Date(clock.now()));
    return due.map(({ code }) => `registry: filter ${code} has expired`);
  };

  const ownCommits = {
    accounts: openRedaction(db, accountsDefinition),
    devices: commits,
    plans: openCommits(db, { category: 'plans', ...planEventCodec }, { isRelayed: true }),
    visits: openCommits(db, visitsLog, { isRelayed: true }),
  };
  const purge = openPurge({ db, clock, store, write, logs, commits: ownCommits });
  const purging = every(PURGE_EVERY_MS, (signal) => purge.run(signal), { name: 'purge of applications', log, clock });
  closing.add('purge of applications', purging, (periodic) => periodic.stop());

  const inboxes = new InboxStates(db);
  const left = every(INBOXES_EVERY_MS, () => inboxes.removeExpired(new Date(trustedTime(clock))), {
    name: 'removal of inboxes',
    log,
    clock,
  });
  closing.add('removal of inboxes', left, (periodic) => periodic.stop());

  const icons = openIcons(db, clock);
  const unused = every(ICONS_EVERY_MS, (signal) => icons.removeUnused(signal), {
    name: 'removal of icons',
    log,
    clock,
  });
  closing.add('removal of icons', unused, (periodic) => periodic.stop());

  const clearing = openTagClearing({ db, clock, log, write, logs, exclusive });
  closing.add('tag clearing', clearing, (opened) => opened.stop());
  return { clearing, purge, open: [dueFilters, () => clearing.open()] };
}

const devicesRpc = (deps: Parameters<typeof mergeUserRpc>[0] & FindDevicesDeps): Devices => ({
  ...applyRpc(deps),
  ...batchRpc(deps),
  ...resolveRpc(deps),
  ...getTagsRpc(deps),
  ...locateRpc(deps),
  ...mergeUserRpc(deps),
  ...contactsRpc(deps),
  ...findDevicesRpc(deps),
  ...describeRpc({ ...deps, shownBadges: (request) => shownBadgesOf(deps.db, request) }),
  ...suppressedRpc(deps),
});

async function compose(deps: RegistryDeps, closing: Closing): Promise<RegistryService> {
  const { db, clock, log, keys: ownKeys, broker, hasReplicas = false, quotas = defaultQuotas } = deps;
  // Queries of plans name their indexes; the fan-out may start later.
  await createCollections(db, [...collections, outgoingModel, plansModel]);
  const store = openAccountStore(db, clock);
  const presets = openPresetStore(db);
  const geozones = openGeozoneStore(db);
  const replica = closing.add('number for ids', await leaseReplica(db, { log }), (leased) => leased.close());
  replicaMetrics(deps.metrics, 'registry', replica);
  const nextId = numberIds(() => clock.now(), replica);
  const accountsDefinition = accountsLog(quotas);
  // One cycle at a time: the fixed cost of a cycle outweighs the wait.
  const shared = { service: 'registry', cyclesInFlight: 1 } as const;
  const accountLogs = await openLogCategory(
    deps,
    accountsDefinition,
    {
      ...shared,
      publish: (commit) => () => configurationRecords(commit, store),
      retentionMs: commitRetention.asFigures,
    },
    closing,
  );
  const devicesDefinition = devicesLog({
    sequences: openSequences(db),
    readSelfReported: openSelfReported(db),
    readBlacklist: openBlacklist(db),
  });
  const deviceLogs = await openLogCategory(
    deps,
    devicesDefinition,
    { ...shared, publish: deviceRecords, lingerMs: DEVICES_LINGER_MS, retentionMs: commitRetention.asDetails },
    closing,
  );

  const visitLogs = await openLogCategory(
    deps,
    visitsLog,
    { ...shared, publish: visitRecords, retentionMs: commitRetention.asDetails },
    closing,
  );

  const write = accountWriter(accountLogs.writer);
  await createDefaultAccount({ write, clock, log });

  const resealing = openResealing({ db, clock, log, keys: ownKeys, definition: accountsDefinition, write });
  if (resealing) {
    const reseal = (signal: AbortSignal): Promise<void> => resealing.run(signal);
    const periodic = every(RESEAL_EVERY_MS, reseal, { name: 'resealing', log, immediately: true });
    closing.add('resealing', periodic, (each) => each.stop());
  }
  const work = await openWork(
    deps,
    { store, write, accountsDefinition, definition: devicesDefinition, logs: deviceLogs.writer },
    closing,
  );
  const tags = openTags(store);
  const { master: masterKeys, identity } = ownKeys;
  const keys = { device: identity.device, token: identity['push-token'] };
  const owners = openOwners(store);
  const inboxes = new InboxStates(db);
  const devices = { db, clock, log, keys, owners, tags, store, presets, inboxes, logs: deviceLogs.writer };
  const { clearing } = work;
  const languages = new LanguageFigures(languageCounts(db), { clock, log });
  closing.add('languages', languages, (figures) => figures.close());
  const groupsOf = async (application: string): Promise<string[]> =>
    (await store.groupsOf(application)).map(({ code }) => code);
  const logs = [accountLogs, deviceLogs, visitLogs].map((category) => category.open);
  const open: OpenWork = {
    own: () => allOpen([...(resealing ? [() => resealing.open()] : []), ...logs.map(({ own }) => own)]),
    shared: () => allOpen([...work.open, ...logs.map(({ shared: ofAll }) => ofAll), lagOf(broker)]),
    deletions: () => work.purge.open(),
  };
  return {
    accounts: accountsRpc(store, write, { clock, keys: ownKeys }),
    tokens: tokensRpc(store, write, { clock, tokenKey: identity['access-token'], buckets: new Buckets(db, clock) }),
    applications: applicationsRpc(store, write, { clock, db, languages, masterKeys, displayKey: identity.display }),
    platforms: platformsRpc(store, write, { clock, masterKeys, reportKey: identity.report }),
    addresses: addressesRpc({ db, store, write, clock, tokenKey: keys.token }),
    tags: tagsRpc({ tags, write, clock, clearing, quotas, hasReplicas }),
    testDevices: testDevicesRpc({ db, store, write, clock }),
    devices: devicesRpc(devices),
    audiences: audiencesRpc(devices),
    presets: {
      ...presetsRpc(presets, write, { clock, nextId, filterCode: filterCodes(store), groupsOf }),
      ...resolvePresetsRpc(presets, store),
    },
    segments: segmentsRpc({ db, store, tags, clock, write, scan: new DeviceScan(db) }),
    geozones: {
      ...geozonesRpc(geozones, write, { clock, db, presets, groupsOf }),
      ...reportRpc({ db, clock, keys, owners, store, geozones, presets, visits: visitLogs.writer }),
    },
    inbox: inboxRpc({ db, clock, broker, keys, reportKey: identity.report, owners, tags, states: inboxes }),
    plans: plansRpc(devices),
    operations: operationsOf(deps, open),
    close: () => closing.close(),
  };
}
