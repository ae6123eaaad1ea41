import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Content, type Geozone, Preset } from '@tidings/events';
import { retryUntilAnswered, describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import {
  ListAccountsReply,
  ListFiltersReply,
  ListGeozonesReply,
  ListGroupsReply,
  ListPresetsReply,
  ListSuppressedReply,
  ListTestDevicesReply,
  SuppressionReason,
} from '@tidings/rpc';
import { openLog, keysFrom } from '@tidings/runtime';
import type { EmbeddedBroker } from '@tidings/streaming';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from './registry.ts';

const MIB = 1 << 20;
const MOST_BYTES = 4 * MIB;
/** MiB-sized entries, more than the database sorts in memory. */
const LARGEST = 34;
const account = 'default';

async function walk<Reply extends { readonly next: string }, Entry>(
  read: (after: string) => Promise<Reply>,
  entriesOf: (reply: Reply) => readonly Entry[],
  encode: (reply: Reply) => { finish(): Uint8Array },
) {
  const entries: Entry[] = [];
  const bytes: number[] = [];
  for (let after = ''; ;) {
    const reply = await read(after);
    entries.push(...entriesOf(reply));
    bytes.push(encode(reply).finish().length);
    if (reply.next === '') return { entries, bytes };
    after = reply.next;
  }
}

/** A busy store may apply a write whose answer times out: the retry then creates an adjacent duplicate. */
const withoutRepeats = <Entry extends { readonly name: string }>(entries: readonly Entry[]): Entry[] =>
  entries.filter(({ name }, i) => name !== entries[i - 1]?.name);

describeWithMongo('lists of the registry', (mongo) => {
  const clock = new TestClock();
  let broker: EmbeddedBroker;
  let registry: RegistryService;
  let application: string;

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    registry = await openRegistry({
      db: mongo.db,
      clock,
      log: openLog('error'),
      metrics: new Registry(),
      broker,
      keys: keysFrom(new Uint8Array(32).fill(3)),
      quotas: { applications: 10, tags: 10, presets: 2000, filters: 2000, geozones: 2000, testDevices: 250 },
    });
    const details = { title: 'App', icon: Buffer.alloc(0), sdkIos: '', sdkAndroid: '', authorizeAllTokens: false };
    application = (await registry.applications.createApplication({ account, ...details, tokenId: '' })).application;
  });
  afterAll(async () => {
    await registry?.close();
    await broker?.close();
  });

  const text = (bytes: number): string => 'x'.repeat(bytes);
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`);

  it('return presets without their content, oldest first, including those of groups', async () => {
    const { code: group } = await registry.accounts.createGroup({ name: 'g', applications: [application] });
    const content = Content.fromPartial({ text: { entries: [{ language: 'default', text: text(MIB - 1000) }] } });
    for (const [i, name] of names(LARGEST).entries()) {
      const owner = i % 2 === 0 ? { application } : { group };
      const preset = Preset.fromPartial({ name, content, ...owner });
      await retryUntilAnswered(() => registry.presets.createPreset({ account, preset }));
    }
    const read = (after: string) => registry.presets.listPresets({ account, application, after });
    const { entries, bytes } = await walk(
      read,
      ({ presets }) => presets,
      (reply) => ListPresetsReply.encode(reply),
    );
    const distinct = withoutRepeats(entries);
    expect(distinct.map(({ name }) => name)).toEqual(names(LARGEST));
    expect(distinct.map((entry) => entry.group)).toEqual(names(LARGEST).map((_, i) => (i % 2 === 0 ? '' : group)));
    expect(bytes).toHaveLength(1);
    expect(bytes[0]).toBeLessThan(100 * entries.length);

    await registry.presets.deletePreset({ account, code: entries[3]!.code });
    const { presets } = await read('');
    expect(presets).toHaveLength(entries.length - 1);
  });

  it('return many presets with long names in pages', async () => {
    const own = (
      await registry.applications.createApplication({
        account,
        title: 'Long',
        icon: Buffer.alloc(0),
        sdkIos: '',
        sdkAndroid: '',
        authorizeAllTokens: false,
        tokenId: '',
      })
    ).application;
    const long = names(1100).map((name) => name.padEnd(2000, '-'));
    const presets = long.map((name) => Preset.fromPartial({ name, application: own }));
    for (let i = 0; i < presets.length; i += 100) {
      await Promise.all(presets.slice(i, i + 100).map((preset) => registry.presets.createPreset({ account, preset })));
    }
    const read = (after: string) => registry.presets.listPresets({ account, application: own, after });
    const { entries, bytes } = await walk(
      read,
      (reply) => reply.presets,
      (reply) => ListPresetsReply.encode(reply),
    );
    expect(entries.map(({ name }) => name).sort()).toEqual(long.sort());
    expect(bytes.length).toBeGreaterThan(2);
    expect(Math.max(...bytes)).toBeLessThan(MOST_BYTES);

    // Presets of earlier versions have no number and come first.
    const stored = mongo.db.collection<{ application: string }>('presets');
    const old = new Set(entries.slice(-700).map(({ code }) => code));
    await stored.updateMany({ code: { $in: [...old] } }, { $unset: { number: true, guard: true } });
    const { entries: again } = await walk(
      read,
      (reply) => reply.presets,
      (reply) => ListPresetsReply.encode(reply),
    );
    expect(new Set(again.slice(0, 700).map(({ code }) => code))).toEqual(old);
    expect(again.slice(700)).toEqual(entries.slice(0, -700));
  });

  it('return zones of a MiB each, and the number of zones per cluster', async () => {
    const { code: cluster } = await registry.geozones.addCluster({
      account,
      application,
      name: 'c',
      cooldownSeconds: 1,
    });
    const zone = (name: string): Geozone => ({
      id: 0n,
      application: '',
      name,
      lat: 1,
      lng: 2,
      rangeMeters: 100,
      cooldownSeconds: 0,
      preset: '',
      content: text(MIB),
      cluster,
      campaignId: 0n,
      timetable: undefined,
      active: true,
    });
    for (const name of names(LARGEST)) {
      const zones = [{ zone: zone(name), campaign: '' }];
      await retryUntilAnswered(() => registry.geozones.add({ account, application, zones }));
    }
    const read = (after: string) => registry.geozones.list({ account, application, after });
    const { entries, bytes } = await walk(
      read,
      ({ zones }) => zones,
      (reply) => ListGeozonesReply.encode(reply),
    );
    expect(withoutRepeats(entries).map(({ name }) => name)).toEqual(names(LARGEST));
    expect(entries.every(({ content }) => content.length === MIB)).toBe(true);
    expect(Math.max(...bytes)).toBeLessThan(MOST_BYTES);

    await registry.geozones.delete({ account, application, ids: [entries[0]!.id] });
    const { clusters, next } = await registry.geozones.listClusters({ account, application, after: '' });
    expect(clusters).toEqual([
      { cluster: expect.objectContaining({ code: cluster }) as unknown, zones: entries.length - 1 },
    ]);
    expect(next).toBe('');
  });

  it('return filters without their expressions, oldest first', async () => {
    const expression = `A("${application}")`.padEnd(65_536);
    for (const [i, name] of names(LARGEST).entries()) {
      await registry.segments.createFilter({
        account,
        grant: undefined,
        name,
        expression,
        application: i % 2 === 0 ? application : '',
        expiresAt: undefined,
      });
    }
    const read = (after: string) => registry.segments.listFilters({ account, grant: undefined, application, after });
    const { entries, bytes } = await walk(
      read,
      ({ filters }) => filters,
      (reply) => ListFiltersReply.encode(reply),
    );
    expect(entries.map(({ name }) => name).sort()).toEqual(names(LARGEST).sort());
    expect(bytes.length).toBeGreaterThan(1);
    expect(Math.max(...bytes)).toBeLessThan(MOST_BYTES);
  });

  /** Two entries at each moment. */
  async function inPages<Made>(make: (name: string) => Promise<Made>): Promise<Made[]> {
    const made: Made[] = [];
    for (const [i, name] of names(5).entries()) {
      if (i % 2 === 0) clock.advance(1);
      made.push(await make(name));
    }
    return made;
  }

  it('return accounts and groups, newest first', async () => {
    const { accounts } = registry;
    const made = await inPages(async (name) => (await accounts.createAccount({ name })).account);
    const { entries } = await walk(
      (after) => accounts.listAccounts({ after, limit: 2 }),
      (reply) => reply.accounts,
      (reply) => ListAccountsReply.encode(reply),
    );
    expect(entries.map((entry) => entry.account).toSorted()).toEqual([...made, 'default'].toSorted());
    const times = entries.map(({ createdAt }) => createdAt!.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set(times).size).toBe(4);

    const codes = await inPages(
      async (name) => (await accounts.createGroup({ name, applications: [application] })).code,
    );
    const listed = await walk(
      (after) => accounts.listGroups({ account: '', after, limit: 2 }),
      (reply) => reply.groups,
      (reply) => ListGroupsReply.encode(reply),
    );
    const latest = listed.entries.slice(0, 5);
    expect(latest.map(({ code }) => code).toSorted()).toEqual(codes.toSorted());
    expect(latest[0]).toMatchObject({ applications: [application], createdAt: clock.date });
    expect(await accounts.listGroups({ account: made[0]!, after: '', limit: 2 })).toEqual({ groups: [], next: '' });
  });

  it('return suppressed addresses by reason, newest first, with the text that a contact has', async () => {
    const { addresses } = registry;
    const mails = await inPages(async (name) => {
      const email = `${name}@example.com`;
      await addresses.blacklistAddress({ account, email });
      return email;
    });
    await addresses.recordComplaint({ account, email: mails[0]! });
    const complaints = { account: '', reason: SuppressionReason.SUPPRESSION_REASON_COMPLAINED, after: '', limit: 2 };
    const complained = await addresses.listSuppressed(complaints);
    const view = { blacklistedSince: expect.any(Date), complainedSince: clock.date };
    expect(complained).toMatchObject({ addresses: [{ email: '', view }], next: '' });
    const blacklisted = { ...complaints, reason: SuppressionReason.SUPPRESSION_REASON_BLACKLISTED };
    const { entries } = await walk(
      (after) => addresses.listSuppressed({ ...blacklisted, after }),
      (reply) => reply.addresses,
      (reply) => ListSuppressedReply.encode(reply),
    );
    expect(new Set(entries.map(({ hash }) => hash)).size).toBe(5);
    const times = entries.map((entry) => entry.view!.blacklistedSince!.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    await addresses.clearAddress({ account, email: mails[4]! });
    expect((await addresses.listSuppressed({ ...blacklisted, limit: 500 })).addresses).toHaveLength(4);
  });

  it('return test devices in pages', async () => {
    for (const name of names(250)) {
      const device = {
        pushToken: name.padEnd(4096, '-'),
        platform: 3,
        name,
        description: '',
        language: '',
        unconfirmed: false,
      };
      await registry.testDevices.setTestDevice({ application, device, withoutToken: false });
    }
    const read = (after: string) => registry.testDevices.listTestDevices({ application, after });
    const { entries, bytes } = await walk(
      read,
      ({ devices }) => devices,
      (reply) => ListTestDevicesReply.encode(reply),
    );
    expect(entries.map(({ name }) => name)).toEqual(names(250));
    expect(bytes).toHaveLength(3);
    expect(Math.max(...bytes)).toBeLessThan(MOST_BYTES);
  });
});
