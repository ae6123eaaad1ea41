import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { type BatchEntry, EntryStatus, ListOperator, Register } from '@tidings/rpc';
import type { EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import { keysFrom } from '@tidings/runtime';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from '../../registry.ts';

const account = 'default';
const { ENTRY_STATUS_DONE: DONE, ENTRY_STATUS_FAILED: FAILED, ENTRY_STATUS_NOT_FOUND: NOT_FOUND } = EntryStatus;

describeWithMongo('batches of bulk jobs', (mongo) => {
  let broker: EmbeddedBroker;
  let registry: RegistryService;
  let application: string;

  const entry = (number: number, hwid: string, command: BatchEntry['command'], more: Partial<BatchEntry> = {}) => ({
    number,
    hwid,
    command,
    listOperator: ListOperator.LIST_OPERATOR_SET,
    ...more,
  });
  const setTags = (tags: Record<string, unknown>) => ({ $case: 'setTags', value: { tags } }) as const;
  const register = (more: Partial<Register> = {}) =>
    ({ $case: 'register', value: { ...Register.create(), platform: 3, ...more } }) as const;
  const apply = async (key: string, ...entries: BatchEntry[]) => {
    const { outcomes } = await registry.devices.applyBatch({ account, application, key, entries });
    return outcomes.toSorted((a, b) => a.number - b.number);
  };
  const tagsOf = async (hwid: string) =>
    (await registry.devices.getTags({ account, application, hwid, userId: '' })).tags!;

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    registry = await openRegistry({
      db: mongo.db,
      clock: new TestClock(),
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
      keys: keysFrom(new Uint8Array(32).fill(3)),
      broker,
    });
    const made = { account, title: 'App', icon: Buffer.alloc(0), sdkIos: '', sdkAndroid: '', tokenId: '' };
    application = (await registry.applications.createApplication({ ...made, authorizeAllTokens: false })).application;
    for (const [name, type] of [
      ['Level', TagType.TAG_TYPE_INTEGER],
      ['Things', TagType.TAG_TYPE_LIST],
    ] as const) {
      await registry.tags.addTag({ account, name, type, applicationSpecific: true });
    }
    await apply(
      'start',
      ...Array.from({ length: 50 }, (_, i) => entry(i, `d-${i}`, register({ pushToken: `t-${i}` }))),
    );
  });
  afterAll(async () => {
    await registry?.close();
    await broker?.close();
  });

  it('have one effect and one answer when repeated', async () => {
    const add = { operation: 'increment', value: 1 };
    const entries = [
      ...Array.from({ length: 50 }, (_, i) => entry(i, `d-${i}`, setTags({ Level: add }))),
      entry(50, 'later', setTags({ Level: add })),
    ];
    const first = await apply('once', ...entries);
    expect(first).toEqual([{ number: 50, status: NOT_FOUND, refusedTags: {} }]);
    await apply('between', entry(0, 'd-0', setTags({ Level: 7 })), entry(1, 'later', register()));
    expect(await apply('once', ...entries)).toEqual(first);
    expect([await tagsOf('d-0'), await tagsOf('d-49')]).toMatchObject([{ Level: 7 }, { Level: 1 }]);
    expect(await tagsOf('later')).not.toHaveProperty('Level');
  });

  it('take entries about one device in their order', async () => {
    const append = { listOperator: ListOperator.LIST_OPERATOR_APPEND };
    const outcomes = await apply(
      'order',
      entry(0, 'new', setTags({ Level: 1 })),
      entry(1, 'new', register({ tags: { Things: ['a'] } })),
      entry(2, 'new', setTags({ Things: 'b', Level: { operation: 'increment', value: 2 } }), append),
      entry(3, 'new', register({ tags: { Things: ['c'] } }), append),
    );
    expect(outcomes).toEqual([{ number: 0, status: NOT_FOUND, refusedTags: {} }]);
    expect(await tagsOf('new')).toMatchObject({ Things: ['a', 'b', 'c'], Level: 2 });
  });

  it('refuse tags and entries one by one', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `item ${i}`);
    const outcomes = await apply(
      'refused',
      entry(0, 'd-1', setTags({ Level: 'x', Things: many })),
      entry(1, 'd-1', setTags({ Things: ['one more'] }), { listOperator: ListOperator.LIST_OPERATOR_APPEND }),
      entry(2, 'd-2', setTags({ None: 1, Level: 5 })),
      entry(3, '', register()),
      entry(4, 'd-3', register({ platform: 99 })),
      entry(5, 'd-3', { $case: 'unregister', value: {} }),
      entry(6, 'd-5', register({ tags: { Level: 'x', None: 1, Things: ['a'] } })),
    );
    expect(outcomes).toEqual([
      { number: 0, status: DONE, refusedTags: { Level: 'wrong value: integer expected' } },
      { number: 1, status: FAILED, refusedTags: { Things: 'wrong value: list expected' } },
      { number: 2, status: DONE, refusedTags: { None: 'tag not found' } },
      { number: 3, status: FAILED, refusedTags: {}, reason: 'Hwid is not valid' },
      { number: 4, status: FAILED, refusedTags: {}, reason: 'device_type: unknown platform' },
      { number: 6, status: DONE, refusedTags: { Level: 'wrong value: integer expected', None: 'tag not found' } },
    ]);
    expect((await tagsOf('d-3'))['Push Alerts Enabled']).toBe(false);
  });

  it('report an operation that the type does not support as a wrong value', async () => {
    const append = { operation: 'append', value: ['x'] };
    const text = 'wrong value: integer expected';
    expect(await apply('operation', entry(0, 'd-4', setTags({ Level: append })))).toEqual([
      { number: 0, status: FAILED, refusedTags: { Level: text } },
    ]);
    const unknown = entry(0, 'd-4', setTags({ Level: { operation: 'square', value: 2 } }));
    expect(await apply('unknown operation', unknown)).toMatchObject([{ refusedTags: { Level: text } }]);
  });

  it('register no blacklisted address (R-E5)', async () => {
    const email = 'bounced@example.com';
    await registry.addresses.blacklistAddress({ account, email });
    const mail = (pushToken: string) => register({ platform: 14, pushToken });
    const entries = [entry(0, 'crm-1', mail(email)), entry(1, 'crm-2', mail('other@example.com'))];
    const refused = [{ number: 0, status: FAILED, refusedTags: {}, reason: 'Email address is blacklisted' }];
    expect(await apply('blacklist', ...entries)).toEqual(refused);
    expect(await apply('blacklist', ...entries)).toEqual(refused);
    await expect(tagsOf('crm-1')).rejects.toMatchObject({ message: 'Device not found' });
    expect(await tagsOf('crm-2')).toMatchObject({ 'Push Alerts Enabled': true });
  });

  it("are refused as a whole for another account's application", async () => {
    const batch = { account: 'other', application, key: 'foreign', entries: [entry(0, 'd-1', setTags({}))] };
    await expect(registry.devices.applyBatch(batch)).rejects.toMatchObject({ kind: 'argument' });
  });
});
