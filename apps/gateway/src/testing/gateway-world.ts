import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Campaign, JobFailure, Preset } from '@tidings/events';
import { Fault, pushPlatforms, ShiftedClock } from '@tidings/kernel';
import type { Created } from '@tidings/messaging';
import {
  type AcceptJobRequest,
  ApplicationView,
  type DeviceCommand,
  DeviceRecord,
  type FaultView,
  JobEntryView,
  MessageView,
  type OpenDeletion,
  type Operations,
  type PlatformSettings,
  type SetTestDeviceRequest,
  type StorePartRequest,
  SubscriptionView,
  SuppressionReason,
  TokenScope,
  TokenView,
  type Providers,
} from '@tidings/rpc';
import { stubServices } from '@tidings/rpc/testing';
import { openLog, keysFrom } from '@tidings/runtime';
import { Registry } from 'prom-client';
import type { OutRecord } from '@tidings/streaming';
import { acceptanceOf, type MessageDraft } from '@tidings/testing/acceptance';
import { createGateway, type GatewayDeps } from '../create-gateway.ts';

export const ADMINISTRATOR = 'administrator-secret';
export const APPLICATION = 'AAAAA-00001';
export const FOREIGN = 'BBBBB-00001';
/** Only some tokens may use it. */
export const UNGRANTED = 'AAAAA-00002';

const keys = keysFrom(new Uint8Array(32));

const KNOWN_HWID = 'phone-1';

const application = (account: string, code: string, more: Partial<ApplicationView> = {}): ApplicationView =>
  ApplicationView.fromPartial({ account, code, title: code, ...more });

const token = (id: string, scope: TokenScope, more: Partial<TokenView> = {}): TokenView =>
  TokenView.fromPartial({ id, account: 'a', scope, applications: [APPLICATION], ...more });

const unsupported = (): never => {
  throw new Error('not expected in this test');
};

export class World {
  dispatchers: readonly Providers[] = [];
  readonly tokens = new Map<string, TokenView>([
    ['api', token('t1', TokenScope.TOKEN_SCOPE_API)],
    ['device', token('t2', TokenScope.TOKEN_SCOPE_DEVICE, { allApplications: true })],
    ['foreign', token('t3', TokenScope.TOKEN_SCOPE_API, { account: 'b', allApplications: true })],
  ]);
  readonly applications = new Map<string, ApplicationView>([
    [APPLICATION, application('a', APPLICATION)],
    [UNGRANTED, application('a', UNGRANTED)],
    [FOREIGN, application('b', FOREIGN)],
  ]);
  categories: string[] = [];
  platformSettings: PlatformSettings[] = [];
  readonly commands: DeviceCommand[] = [];
  readonly drafts: MessageDraft[] = [];
  readonly testDevices: SetTestDeviceRequest[] = [];
  /** Initially the message of the public example of a hash. */
  readonly sent = new Map<string, MessageView>(
    [{ code: 'AF0B-EEFE4D5E-E445B2E9', id: 20_012_343_258n, message: { applications: [APPLICATION] } }].map((view) => [
      view.code,
      MessageView.fromPartial({ account: 'a', ...view }),
    ]),
  );
  readonly records: OutRecord[] = [];
  readonly kept = new Map<string, SubscriptionView>();
  readonly clock = new ShiftedClock();
  readonly metrics = new Registry();
  readonly faults = new Map<string, FaultView>();
  readonly left = new Map<string, number>();
  open: string[] = [];
  deletions: OpenDeletion[] = [];

  readonly registered = (): readonly string[] =>
    this.commands.filter(({ command }) => command?.$case === 'register').map(({ hwid }) => hwid);

  preset: Preset | undefined;
  presetUnapproved = false;

  readonly created = new Map<string, Created>();
  readonly named: string[] = [];

  readonly accepted: AcceptJobRequest[] = [];
  readonly parts: StorePartRequest[] = [];
  readonly services = stubServices({
    accounts: {
      createAccount: async () => ({ account: 'c' }),
      getMasterKeyId: async () => ({ id: '', identities: [] }),
      findAccount: async ({ account }) => ({ found: ['default', 'a'].includes(account), categories: this.categories }),
      setCategories: async ({ categories }) => ({ categories }),
      createGroup: async () => ({ code: 'C0DE0-00001' }),
      findGroup: async ({ group }) => ({ applications: group === 'C0DE0-00001' ? [APPLICATION] : [] }),
    },
    applications: {
      findApplication: async ({ application: code }) => ({ application: this.applications.get(code) }),
      createApplication: async ({ tokenId }) => {
        const created = this.applications.set('AAAAA-00003', application('a', 'AAAAA-00003'));
        for (const [secret, view] of this.tokens) {
          if (view.id === tokenId) {
            this.tokens.set(secret, { ...view, applications: [...view.applications, 'AAAAA-00003'] });
          }
        }
        return { application: [...created.keys()].at(-1)! };
      },
      updateApplication: async () => ({}),
      deleteApplication: async ({ application: code }) => {
        this.applications.delete(code);
        return {};
      },
      listApplications: async ({ page }) => ({
        applications: [{ code: APPLICATION, title: 'News' }],
        count: page,
        pages: 1,
      }),
      setControlGroup: async ({ percentage }) => application('a', APPLICATION, { controlGroupPercentage: percentage }),
      setCapping: async ({ days, count }) =>
        application('a', APPLICATION, { capping: count === 0 ? undefined : { days, count } }),
      setTracking: async ({ on }) => application('a', APPLICATION, { trackingOff: !on }),
      setAtMostOnce: async ({ on }) => application('a', APPLICATION, { atMostOnce: on }),
      setDebug: async ({ on }) => ({ debugUntil: on ? new Date('2026-01-15T13:00:00.123Z') : undefined }),
      listMailSenders: async () => ({ senders: [] }),
      describeApplication: async () => ({
        view: this.applications.get(APPLICATION),
        icon: '',
        sdkIos: 'pw',
        sdkAndroid: 'pw',
        settings: { ios_gateway: '1' },
        languages: { en: 12n },
      }),
      getSettings: async ({ application: code }) => ({
        view: this.applications.get(code),
        hasIcon: false,
        sdkIos: 'pw',
        sdkAndroid: 'pw',
        platforms: this.platformSettings,
        categories: [...this.categories],
        sendersRequired: true,
        verifiedSenders: ['news@example.com'],
        tokenLimits: [{ token: 't1', requests: 100, seconds: 1 }],
      }),
      getIcon: async ({ icon }) => ({ png: Buffer.from(icon === 'known' ? '17' : '') }),
      setTokenRequirements: async ({ application: code, inbox, testDevices }) => {
        const view = this.applications.get(code)!;
        if (inbox !== undefined) view.inboxTokenRequired = inbox;
        if (testDevices !== undefined) view.testDeviceTokenRequired = testDevices;
        return view;
      },
    },
    platforms: {
      configurePlatform: async ({ platform }) =>
        application('a', APPLICATION, {
          platforms: [{ platform, enabled: true, configured: true, credentialVersion: 1 }],
        }),
      setPlatformStatus: async ({ platform, enabled }) =>
        application('a', APPLICATION, { platforms: [{ platform, enabled, configured: false, credentialVersion: 0 }] }),
      getApplicationFile: async () => ({ text: 'PEM' }),
      getPushPackage: async (request) => ({
        archive: Buffer.from(request.websitePushId === 'web.com.example' ? JSON.stringify(request) : ''),
      }),
    },
    tokens: {
      resolveToken: async ({ secret }) => ({ token: this.tokens.get(secret) }),
      issueToken: async () => ({ id: 't9', secret: 'issued' }),
      listTokens: async () => ({ tokens: [...this.tokens.values()] }),
      findToken: async ({ id }) => ({ token: [...this.tokens.values()].find((each) => each.id === id) }),
      revokeToken: async ({ id }) => ({ revoked: id === 't1' }),
      takeRequests: async ({ id, rateLimit, requested }) => {
        const { requests, seconds } = rateLimit!;
        const left = this.left.get(id) ?? requests;
        const granted = Math.min(left, requested);
        this.left.set(id, left - granted);
        return { granted, waitMs: granted < left ? 0 : Math.ceil((seconds * 1000) / requests) };
      },
    },
    tags: {
      addTag: async ({ name }) => {
        if (name === 'Level') throw Fault.argument('Tag already exists');
        return {};
      },
      listTags: async () => ({
        tags: [
          { name: 'b', type: 1, applicationSpecific: false, number: 65 },
          { name: 'B', type: 2, applicationSpecific: true, number: 64 },
        ],
      }),
    },
    testDevices: {
      setTestDevice: async (request) => {
        this.testDevices.push(request);
        return {};
      },
      confirmTestDevice: async ({ tokenHash }) => ({ found: tokenHash.startsWith('a') }),
      deleteTestDevice: async ({ tokenHash }) => ({ found: tokenHash.startsWith('a') }),
    },
    addresses: {
      clearComplaint: async () => ({}),
      listSuppressed: async ({ reason }) => ({
        addresses: [
          {
            hash: 'h',
            email: reason === SuppressionReason.SUPPRESSION_REASON_COMPLAINED ? 'a@example.com' : '',
            view: { blacklistedSince: new Date('2026-01-15T12:00:00.123Z'), complainedSince: undefined },
          },
        ],
        next: '',
      }),
    },
    devices: {
      apply: async ({ commands }) => {
        this.commands.push(...commands);
        return { replies: commands.map(({ hwid }) => ({ fault: this.faults.get(hwid) })) };
      },
      getTags: async ({ hwid }) => {
        if (hwid !== KNOWN_HWID) throw Fault.argument('Device not found');
        return { tags: { Language: 'en', Level: 6 }, integers: { Serial: 2n ** 63n - 1n } };
      },
      locate: async ({ hwids }) => ({
        locations: hwids.map((hwid) => ({ found: hwid === KNOWN_HWID, seq: 70_000, platform: 3, hasToken: true })),
      }),
      resolve: async ({ pushTokens }) => ({
        byUserId: [],
        byPushToken: pushTokens.map((pushToken) => ({ names: pushToken === 'ab12' ? [KNOWN_HWID] : [] })),
        hwids: [],
      }),
      findContacts: async () => ({ hwids: [] }),
      find: async ({ by }) => ({
        devices: [
          DeviceRecord.fromPartial({
            seq: 7,
            hwid: KNOWN_HWID,
            userId: by?.$case === 'userId' ? by.value : KNOWN_HWID,
            platform: 3,
            tags: { Language: 'en' },
            integers: { Serial: 2n ** 63n - 1n },
            createdAt: new Date('2026-01-15T12:00:00.123Z'),
            registrations: [{ application: APPLICATION, platform: 3 }],
          }),
        ],
        more: by?.$case === 'userId',
      }),
    },
    audiences: {
      resolve: async ({ applications, audiences }) => ({
        debugUntil: applications.length === 1 ? this.applications.get(applications[0]!)?.debugUntil : undefined,
        audiences: audiences.map(({ recipients }) => {
          const target = recipients?.recipients;
          const names = target?.$case === 'devices' || target?.$case === 'contacts' ? target.value.names : [];
          const value = {
            audience: { target: { $case: 'named' as const, value: { seqs: [7], byApplication: [] } }, platforms: [] },
            unknown: names.filter((name) => ![KNOWN_HWID, ...this.registered()].includes(name)),
            platforms: [1, 3],
            filterName: '',
            filterCode: '',
            activityKnown: true,
          };
          return { reply: { $case: 'resolved' as const, value } };
        }),
      }),
    },
    presets: {
      resolve: async ({ presets, campaigns }) => ({
        presets: presets.map((code) => {
          const preset = this.preset ?? Preset.fromPartial({ platforms: [...pushPlatforms] });
          return { preset: { ...preset, code }, unapproved: this.presetUnapproved, campaignId: 0n };
        }),
        campaigns: campaigns.map((code) => Campaign.fromPartial({ code })),
        tooLarge: false,
      }),
      findPreset: async ({ code }) => ({ preset: this.preset?.code === code ? this.preset : undefined }),
      deletePreset: async () => ({}),
      setApproval: async ({ approved }) => ({ approved }),
      findApproval: async () => ({ approved: true }),
      nameCampaign: async ({ application: of, name }) => {
        this.named.push(name);
        return { campaign: { code: 'CCCCC-00001', id: 17n, application: of, name, description: '' } };
      },
      findCampaign: async () => ({ campaign: undefined }),
    },
    segments: {
      estimate: async ({ expression }) => {
        if (expression === '') throw Fault.argument('condition expected at position 0', 'expression');
        return { devices: 250_112n, numbers: 1_000_000, examined: expression === 'all' ? 1_000_000 : 183_296 };
      },
    },
    geozones: {
      find: async () => ({ zone: undefined }),
      list: async () => ({ zones: [], next: '' }),
      listClusters: async () => ({ clusters: [], next: '' }),
    },
    inbox: {
      list: async () => ({ entries: [], deleted: [], fresh: 0 }),
      count: async ({ owner }) => ({ entries: owner?.userId === 'user-1' ? 2 : 0, fresh: 0 }),
      setStatus: async () => ({ unknown: true }),
      delete: async () => ({ unknown: true }),
    },
    messages: {
      accept: (request) => acceptanceOf(this).accept(request),
      list: async () => ({ total: 0n, messages: [] }),
      find: async ({ code }) => ({ message: this.sent.get(code) }),
      cancel: async () => ({}),
      followLink: async ({ code }) => ({ url: code === 'abcdefgh' ? 'https://example.com/17' : '' }),
    },
    jobs: {
      storePart: async (request) => {
        this.parts.push(request);
        return {};
      },
      accept: async (request) => {
        this.accepted.push(request);
        return {};
      },
      find: async () => ({ job: undefined }),
      list: async ({ kind, after }) => ({
        jobs: [
          JobEntryView.fromPartial({
            job: 'j1',
            kind,
            entries: 3,
            failure: JobFailure.JOB_FAILURE_PROCESS_DIED,
            view: {},
          }),
        ],
        next: after === '' ? '1.j1' : '',
      }),
      findArchives: async () => ({ archives: [] }),
    },
    statistics: {
      outcomesOfDevice: async () => ({ outcomes: [] }),
      lastReplay: async () => ({ replay: undefined }),
    },
    attempts: { ofDevice: async () => ({ attempts: [] }) },
    subscriptions: {
      create: async ({ account, settings }) => {
        const id = `s${this.kept.size + 1}`;
        const createdAt = new Date('2026-01-15T12:00:00Z');
        const view = SubscriptionView.create({ id, account, settings, createdAt });
        this.kept.set(id, view);
        return { ...view, secret: settings!.endpoint.startsWith('https:') ? 'whsec_first' : '' };
      },
      find: async ({ id }) => ({ subscription: this.kept.get(id) }),
      list: async () => ({ subscriptions: [...this.kept.values()] }),
      change: async ({ id, ...patch }) => {
        const existing = this.kept.get(id);
        if (!existing) return { subscription: undefined };
        const lists = {
          events: patch.events?.items,
          applications: patch.applications?.items,
          platforms: patch.platforms?.items,
          messageCodes: patch.messageCodes?.items,
          campaigns: patch.campaigns?.items,
        };
        const given = Object.entries({ endpoint: patch.endpoint, enabled: patch.enabled, ...lists });
        const set = Object.fromEntries(given.filter(([, value]) => value !== undefined));
        const subscription = { ...existing, settings: { ...existing.settings!, ...set } };
        this.kept.set(id, subscription);
        return { subscription };
      },
      delete: async ({ id }) => ({ deleted: this.kept.delete(id) }),
      addSecret: async ({ id }) => ({ secret: this.kept.has(id) ? 'whsec_next' : '' }),
    },
  });
  create = async (drafts: readonly MessageDraft[]): Promise<readonly Created[]> => {
    const offset = this.drafts.length;
    this.drafts.push(...drafts);
    return drafts.map(({ message: { hidden } }, index) => {
      const code = `C0DE0-0000000${offset + index}`;
      return { code, answer: hidden ? 'CODE_NOT_AVAILABLE' : code, repeat: false };
    });
  };

  readonly audiences = this.services.audiences;
  readonly devices = this.services.devices;
  readonly messages = this.services.messages;
  readonly presets = this.services.presets;
  readonly segments = this.services.segments;
  readonly statistics = this.services.statistics;

  readonly operations: Operations = {
    settled: async ({ deletions }) =>
      deletions ? { open: [], deletions: this.deletions } : { open: this.open, deletions: [] },
    advanceClock: async ({ aheadMs }) => {
      this.clock.advanceTo(Number(aheadMs));
      return { nowMs: BigInt(this.clock.now()), aheadMs: BigInt(this.clock.aheadMs) };
    },
    storage: async () => ({ freeBytes: undefined }),
  };

  deps(more: Partial<GatewayDeps> = {}): GatewayDeps {
    const { services, operations, clock } = this;
    return {
      services,
      processes: [() => [operations]],
      dispatchers: () => this.dispatchers,
      broker: {
        publish: async (_topic, records) => {
          this.records.push(...records);
          return records.map((_, offset) => ({ partition: 0, offset }));
        },
        subscribe: unsupported,
        addTopic: unsupported,
      },
      clock,
      log: openLog('silent'),
      metrics: this.metrics,
      masterKeys: keys.master,
      identity: () => keys.identity,
      adminToken: ADMINISTRATOR,
      publicUrl: 'https://push.example',
      disposableDomains: new Set(['mailinator.com']),
      ...more,
    };
  }

  gateway(more: Partial<GatewayDeps> = {}): Promise<NestFastifyApplication> {
    return createGateway(this.deps(more));
  }
}
