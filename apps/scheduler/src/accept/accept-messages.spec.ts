import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Content } from '@tidings/events';
import { Fault, ShiftedClock } from '@tidings/kernel';
import type { Created } from '@tidings/messaging';
import { type AcceptMessagesRequest, type MessageRequest, Recipients, UnknownContacts } from '@tidings/rpc';
import { acceptingRegistry, requestOf } from '../testing/accepting-registry.ts';
import { acceptMessages } from './accept-messages.ts';
import type { ToCreate } from './create-messages.ts';

const { UNKNOWN_CONTACTS_REGISTER: REGISTER } = UnknownContacts;

class World {
  readonly registry = acceptingRegistry();
  readonly created: ToCreate[] = [];
  readonly steps: string[] = [];
  readonly createdByKey = new Map<string, Created>();
  readonly registered = new Set<string>();
  readonly createdByOthers = new Map<string, Created>();

  constructor() {
    const { resolve } = this.registry.audiences;
    Object.assign(this.registry, {
      presets: {
        resolve: async () => ({ presets: [], campaigns: [], tooLarge: false }),
        nameCampaign: async ({ name }: { name: string }) => {
          this.steps.push(`campaign ${name}`);
          return { campaign: { code: 'C', id: 17n, application: 'A', name, description: '' } };
        },
      },
      devices: {
        apply: async ({ commands }: { commands: { hwid: string }[] }) => {
          for (const { hwid } of commands) this.registered.add(hwid);
          this.steps.push(`register ${commands.map(({ hwid }) => hwid).join()}`);
          return { replies: commands.map(() => ({ fault: undefined })) };
        },
      },
    });
    this.registry.audiences.resolve = async (request) => {
      const names = request.audiences.map(({ recipients }) =>
        recipients?.recipients?.$case === 'contacts' ? recipients.recipients.value.names : undefined,
      );
      const { audiences, ...reply } = await resolve(request);
      return {
        ...reply,
        audiences: audiences.map((each, i) => {
          const contacts = names[i];
          if (!contacts || each.reply?.$case !== 'resolved') return each;
          const registered = contacts.filter((name) => this.registered.has(name));
          const target = { $case: 'named' as const, value: { seqs: registered.map(Number), byApplication: [] } };
          const unknown = contacts.filter((name) => !this.registered.has(name));
          const value = { ...each.reply.value, audience: { target, platforms: [] }, unknown, platforms: [18] };
          return { reply: { $case: 'resolved' as const, value } };
        }),
      };
    };
  }

  accept(...messages: MessageRequest[]) {
    const createdWith = (from: ReadonlyMap<string, Created>, keys: readonly string[]) =>
      new Map([...from].filter(([key]) => keys.includes(key)));
    const { accept } = acceptMessages({
      ...this.registry,
      clock: new ShiftedClock(),
      transactions: {
        keyOf: (_, id) => id,
        exclusively: (keys, work) => work(createdWith(this.createdByKey, keys)),
        reserve: async (keys) => {
          if (keys.length === 0) return { repeats: new Map(), release: async () => undefined };
          this.steps.push(`reserve ${keys.join()}`);
          return {
            repeats: createdWith(this.createdByOthers, keys),
            release: async () => void this.steps.push('release'),
          };
        },
      },
      messages: {
        refuse: async () => undefined,
        create: async (_, all) => {
          this.created.push(...all);
          this.steps.push(`create ${all.length}`);
          return all.map(({ notification }) => ({
            code: `M${notification}`,
            answer: `M${notification}`,
            repeat: false,
          }));
        },
      },
    });
    const request: AcceptMessagesRequest = { account: 'a', applications: ['A'], group: '', grant: undefined, messages };
    return accept(request);
  }
}

const toContacts = (names: string[], more: Partial<MessageRequest> = {}): MessageRequest =>
  requestOf(
    {},
    {
      recipients: Recipients.fromPartial({ recipients: { $case: 'contacts', value: { platform: 18, names } } }),
      platforms: { platforms: [18] },
      unknownContacts: REGISTER,
      ...more,
    },
  );

const tooMany = requestOf({
  content: Content.fromPartial({
    text: { entries: [{ language: 'default', text: Array.from({ length: 257 }, (_, i) => `{{t${i}}}`).join(' ') }] },
  }),
});

let world: World;
beforeEach(() => {
  world = new World();
});

describe('a request of messages', () => {
  it('registers contacts and names campaigns after all checks, and before its messages', async () => {
    const { messages } = await world.accept(
      requestOf({}),
      toContacts(['7', '8'], { transactionId: 'tx', campaignName: 'Spring' }),
    );
    expect(messages.map(({ code }) => code)).toEqual(['M0', 'M1']);
    expect(world.steps).toEqual(['reserve tx', 'register 7,8', 'campaign Spring', 'create 2']);
    expect(world.created[1]!.message.accepted).toMatchObject({
      campaignId: 17n,
      reach: { platforms: [18] },
      audience: { target: { value: { seqs: [7, 8] } } },
    });
  });

  it('has no effect if one of its messages is refused (R-I1)', async () => {
    expect(await world.accept(toContacts(['7'], { campaignName: 'Spring' }), tooMany)).toEqual({
      messages: [],
      refusal: { notification: 1, reason: 'tooManyTags', field: 'message', entry: undefined, detail: '' },
    });
    expect(world.steps).toEqual([]);
  });

  it('answers repeats without a lookup of their names (R-I10)', async () => {
    world.createdByKey.set('tx', { code: 'M', answer: 'CODE_NOT_AVAILABLE', repeat: true });
    world.registry.audiences.resolve = () => Promise.reject(new Error('asked for a repeat'));
    const { messages } = await world.accept(toContacts(['7'], { transactionId: 'tx' }));
    expect(messages).toEqual([{ code: 'M', answer: 'CODE_NOT_AVAILABLE', repeat: true, unknown: [] }]);
    expect(world.steps).toEqual([]);
  });

  it('creates nothing for a message that another process has created meanwhile (R-I10)', async () => {
    world.createdByOthers.set('tx', { code: 'M', answer: 'M', repeat: true });
    const { messages } = await world.accept(requestOf({}), toContacts(['7'], { transactionId: 'tx' }));
    expect(messages.map(({ code, repeat }) => [code, repeat])).toEqual([
      ['M0', false],
      ['M', true],
    ]);
    expect(world.steps).toEqual(['reserve tx', 'create 1']);
  });

  it('releases transactionIds if it fails before its messages', async () => {
    Object.assign(world.registry.devices, {
      apply: () => Promise.reject(Fault.unavailable('A service does not answer')),
    });
    await expect(world.accept(toContacts(['7'], { transactionId: 'tx' }))).rejects.toMatchObject({
      kind: 'unavailable',
      effect: 'none',
    });
    expect(world.steps).toEqual(['reserve tx', 'release']);
  });

  it('registers no contact that the request excludes, and counts it as unknown (R-E8)', async () => {
    const { messages } = await world.accept(toContacts(['7', '8'], { unregistrable: ['8'] }));
    expect(world.steps).toEqual(['register 7', 'create 1']);
    expect(messages[0]!.unknown).toEqual(['8']);
  });
});

describe('a request that exceeds its time limit', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  it('creates no message, and reports so (R-ER10)', async () => {
    const { resolve } = world.registry.audiences;
    world.registry.audiences.resolve = async (request) => {
      jest.advanceTimersByTime(9_000);
      return resolve(request);
    };
    await expect(world.accept(requestOf({}))).rejects.toMatchObject({ kind: 'unavailable', effect: 'none' });
    expect(world.steps).toEqual([]);
  });
});
