import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Platform } from '@tidings/kernel';
import {
  type AudienceReply,
  type DeviceCommand,
  type DeviceReply,
  Recipients,
  type Register,
  type ResolvedAudience,
} from '@tidings/rpc';
import { keysFrom } from '@tidings/runtime';
import type { EmbeddedBroker, InRecord } from '@tidings/streaming';
import { type TestMongo, testBroker, TestClock } from '@tidings/testing';
import type { Document } from 'mongodb';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from '../registry.ts';

export const DENIED = 'Access denied or application not found';
export const noFault: DeviceReply = { fault: undefined };
export const argument = (text: string): DeviceReply => ({ fault: { kind: 'argument', text } });

export class RegistryUnderTest {
  readonly clock = new TestClock();
  registry!: RegistryService;
  broker!: EmbeddedBroker;
  app!: string;
  sibling!: string;
  readonly #mongo: Pick<TestMongo, 'db' | 'database'>;
  readonly lines: string[] = [];

  constructor(mongo: Pick<TestMongo, 'db' | 'database'>) {
    this.#mongo = mongo;
    beforeAll(async () => {
      this.broker = await testBroker({ db: mongo.database('log') });
      this.registry = await this.open();
      this.app = await this.newApplication();
      this.sibling = await this.newApplication();
    });
    afterAll(async () => {
      await this.registry.close();
      await this.broker.close();
    });
  }

  readonly open = (more: { hasReplicas?: boolean } = {}): Promise<RegistryService> =>
    openRegistry({
      ...more,
      db: this.#mongo.db,
      clock: this.clock,
      log: pino({ level: 'trace' }, { write: (line: string) => void this.lines.push(line) }),
      metrics: new Registry(),
      keys: keysFrom(new Uint8Array(32).fill(3)),
      broker: this.broker,
    });

  readonly expectNoWarnings = (): void =>
    it('logs no warning', () => {
      const warnings = this.lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 40);
      expect(warnings.slice(0, 3).map((line) => line.slice(0, 500))).toEqual([]);
    });

  readonly resolve = async (
    recipients: Partial<Recipients>,
    more: { readonly applications?: string[] } = {},
  ): Promise<AudienceReply['reply']> => {
    const audiences = [{ recipients: Recipients.fromPartial(recipients), category: '' }];
    const request = { account: 'default', applications: [this.app], grant: undefined, audiences, ...more };
    return (await this.registry.audiences.resolve(request)).audiences[0]?.reply;
  };

  readonly named = async (recipients: Recipients['recipients']) => {
    const reply = await this.resolve({ recipients });
    const found: ResolvedAudience | undefined = reply?.$case === 'resolved' ? reply.value : undefined;
    const target = found?.audience?.target;
    return { seqs: target?.$case === 'named' ? target.value.seqs : undefined, unknown: found?.unknown };
  };

  readonly newApplication = async (account = 'default'): Promise<string> => {
    const request = {
      account,
      title: 'App',
      icon: Buffer.alloc(0),
      sdkIos: '',
      sdkAndroid: '',
      authorizeAllTokens: false,
      tokenId: '',
    };
    return (await this.registry.applications.createApplication(request)).application;
  };

  readonly settle = async (): Promise<void> => {
    for (let tries = 0; tries < 500; tries++) {
      const { open } = await this.registry.operations.settled({});
      const { deletions } = await this.registry.operations.settled({ deletions: true });
      if (open.length + deletions.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`not settled: ${(await this.registry.operations.settled({})).open.join(', ')}`);
  };

  readonly command = (
    hwid: string,
    what: DeviceCommand['command'],
    more: Partial<DeviceCommand> = {},
  ): DeviceCommand => ({
    account: 'default',
    application: this.app,
    hwid,
    userId: '',
    idempotencyKey: '',
    command: what,
    ...more,
  });
  readonly registration = (more: Partial<Register> = {}): DeviceCommand['command'] => ({
    $case: 'register',
    value: { platform: Platform.Android, tags: undefined, located: undefined, ...more },
  });
  readonly apply = async (...commands: DeviceCommand[]): Promise<DeviceReply[]> => {
    const { replies } = await this.registry.devices.apply({ commands });
    return replies;
  };
  readonly register = async (
    hwid: string,
    more: Partial<Register> = {},
    where: Partial<DeviceCommand> = {},
  ): Promise<DeviceReply> => (await this.apply(this.command(hwid, this.registration(more), where)))[0]!;
  readonly setTags = async (
    hwid: string,
    tags: Record<string, unknown>,
    where: Partial<DeviceCommand> = {},
  ): Promise<DeviceReply> => (await this.apply(this.command(hwid, { $case: 'setTags', value: { tags } }, where)))[0]!;
  readonly tagsOf = async (
    hwid: string,
    more: { application?: string; userId?: string } = {},
  ): Promise<Record<string, unknown>> => {
    const reply = await this.registry.devices.getTags({
      account: 'default',
      application: this.app,
      hwid,
      userId: '',
      ...more,
    });
    return reply.tags!;
  };
  readonly stored = async (hwid: string, application = this.app): Promise<Document> =>
    (await this.#mongo.db.collection('devices').findOne({ app: application, hwid }))!;
  readonly commits = () => this.#mongo.db.collection('devices.commits').countDocuments();

  /** The topic may drop records once every group has read them. */
  readonly published = async <T>(
    topic: string,
    decode: (bytes: Uint8Array) => T,
    happens: () => Promise<unknown> = async () => undefined,
  ): Promise<{ key: string; value: T }[]> => {
    const records: InRecord[] = [];
    const group = `reader-${Math.random()}`;
    const subscription = await this.broker.subscribe({
      group,
      topics: [topic],
      handler: async (batch) => void records.push(...batch.records),
    });
    await happens();
    await this.settle();
    for (;;) {
      const lag = await this.broker.lag(group);
      if (lag.length > 0 && lag.every(({ committed, end }) => committed === end)) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await subscription.stop();
    return records.map(({ key, value }) => ({ key, value: decode(value) }));
  };
}
