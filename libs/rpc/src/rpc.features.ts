import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Fault, type FaultKind } from '@tidings/kernel';
import { UnknownOutcome } from '@tidings/mongo';
import { MongoNetworkError } from 'mongodb';
import type { Codec, ServiceDefinition } from './binding.ts';
import { ApplicationsDefinition } from './generated/tidings/rpc/v1/applications.ts';
import { DevicesDefinition } from './generated/tidings/rpc/v1/devices.ts';
import { PlatformsDefinition } from './generated/tidings/rpc/v1/platforms.ts';
import { TokensDefinition } from './generated/tidings/rpc/v1/tokens.ts';
import {
  type Applications,
  type AcceptMessagesRequest,
  MessageRequest,
  type DeviceCommands,
  type Devices,
  type Messages,
  MessagesDefinition,
  type Platforms,
  type Tokens,
  TokenScope,
  type TokenView,
} from './index.ts';

export interface RpcBinding {
  bind<Service extends object>(definition: ServiceDefinition, implementation: Service): Promise<Service>;
  close(): Promise<void>;
}

const json: Codec = {
  encode: (message: unknown) => ({ finish: () => Buffer.from(JSON.stringify(message)) }),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as unknown,
};

const method = (name: string, responseStream: boolean) =>
  ({ name, requestType: json, requestStream: false, responseType: json, responseStream, options: {} }) as const;

export const echoDefinition = {
  name: 'Echo',
  fullName: 'test.Echo',
  methods: { say: method('Say', false), repeat: method('Repeat', true) },
} as const satisfies ServiceDefinition;

export interface Echo {
  say(request: { readonly text: string }): Promise<{ readonly text: string }>;
  repeat(request: { readonly text: string }): AsyncIterable<{ readonly text: string }>;
}

export class Echoing implements Echo {
  readonly #ending = '!';
  readonly #fault: Error | undefined;

  constructor(fault?: Error) {
    this.#fault = fault;
  }

  async say({ text }: { text: string }): Promise<{ text: string }> {
    if (this.#fault) throw this.#fault;
    return { text: text + this.#ending };
  }

  async *repeat({ text }: { text: string }): AsyncIterable<{ text: string }> {
    yield { text };
    if (this.#fault) throw this.#fault;
    yield { text: text + this.#ending };
  }

  hidden(): void {}
}

export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const kinds: readonly FaultKind[] = [
  'malformed',
  'argument',
  'unauthorized',
  'forbidden',
  'notFound',
  'conflict',
  'tooLarge',
  'throttled',
  'unavailable',
];

export function rpcFeatures(name: string, open: () => Promise<RpcBinding>): void {
  describe(name, () => {
    let binding: RpcBinding;
    beforeAll(async () => {
      binding = await open();
    });
    afterAll(() => binding?.close());

    it('calls the implementation, and has no other members than the definition', async () => {
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing());
      expect(await echo.say({ text: 'a' })).toEqual({ text: 'a!' });
      expect(await all(echo.repeat({ text: 'a' }))).toEqual([{ text: 'a' }, { text: 'a!' }]);
      expect(Object.keys(echo)).toEqual(['say', 'repeat']);
    });

    it('answers many calls at a time, each its own', async () => {
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing());
      const texts = Array.from({ length: 300 }, (_, i) => `${i}`);
      expect(await Promise.all(texts.map((text) => echo.say({ text })))).toEqual(texts.map((t) => ({ text: `${t}!` })));
    });

    it.each(kinds)('passes a Fault on: %s', async (kind) => {
      const fault = new Fault(kind, 'nein: "ä\u{1f6ab}\ud800"\r\n', { internal: 'for the log' });
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing(fault));
      const seen = await echo.say({ text: 'a' }).catch((error: unknown) => error);
      expect(seen).toBeInstanceOf(Fault);
      expect(seen).toMatchObject({ kind, message: expect.stringContaining('nein: "ä\u{1f6ab}') });
      await expect(all(echo.repeat({ text: 'a' }))).rejects.toMatchObject({ kind });
    });

    it('passes on when a caller may retry', async () => {
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing(Fault.throttled('Too many', 7)));
      await expect(echo.say({ text: 'a' })).rejects.toMatchObject({ kind: 'throttled', retryAfterSeconds: 7 });
    });

    it('passes on the refused field of the call', async () => {
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing(Fault.argument('too long', 'text')));
      await expect(echo.say({ text: 'a' })).rejects.toMatchObject({ message: 'too long', field: 'text' });
    });

    it('passes long texts of Faults on', async () => {
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing(Fault.argument('x'.repeat(40_000))));
      await expect(echo.say({ text: 'a' })).rejects.toMatchObject({ message: 'x'.repeat(40_000) });
    });

    it('makes a bug of any other error, without details for callers', async () => {
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing(new TypeError('oops')));
      const bug = { kind: 'bug', message: 'Internal error' };
      await expect(echo.say({ text: 'a' })).rejects.toMatchObject(bug);
      await expect(all(echo.repeat({ text: 'a' }))).rejects.toMatchObject(bug);
    });

    it.each([
      ['a lost connection', new MongoNetworkError('reset by 10.0.0.1')],
      ['a command that was not answered', new UnknownOutcome('no answer within 2000 ms')],
    ])('makes `unavailable` of a transient error of its store: %s', async (_, error) => {
      const echo = await binding.bind<Echo>(echoDefinition, new Echoing(error));
      const unavailable = { kind: 'unavailable', message: 'The store does not answer' };
      await expect(echo.say({ text: 'a' })).rejects.toMatchObject(unavailable);
      await expect(all(echo.repeat({ text: 'a' }))).rejects.toMatchObject(unavailable);
    });

    it('ends a stream that its client stops reading', async () => {
      const ended = Promise.withResolvers<void>();
      const echo = await binding.bind<Pick<Echo, 'repeat'>>(
        { ...echoDefinition, methods: { repeat: echoDefinition.methods.repeat } },
        {
          async *repeat({ text }) {
            try {
              for (let i = 0; i < 3; i++) yield { text };
            } finally {
              ended.resolve();
            }
          },
        },
      );
      for await (const { text } of echo.repeat({ text: 'a' })) {
        expect(text).toBe('a');
        break;
      }
      await ended.promise;
    });

    describe('the messages of services', () => {
      const partly = <Service extends object>(
        { fullName, methods }: ServiceDefinition,
        some: Partial<Service>,
      ): Service => {
        const unused = async (): Promise<never> => {
          throw Fault.bug(`${fullName}: not expected in this test`);
        };
        return { ...Object.fromEntries(Object.keys(methods).map((each) => [each, unused])), ...some } as Service;
      };

      it('keep dates, large numbers, bytes and absent fields', async () => {
        const token: TokenView = {
          id: 't1',
          account: 'a',
          scope: TokenScope.TOKEN_SCOPE_DEVICE,
          allApplications: false,
          applications: ['A', 'B'],
          createdAt: new Date('2026-01-15T13:00:00.123Z'),
          version: 2n ** 63n,
          revoked: true,
          expiresAt: undefined,
          rateLimit: undefined,
        };
        const tokens = await binding.bind(
          TokensDefinition,
          partly<Tokens>(TokensDefinition, {
            resolveToken: async ({ secret }) => ({ token: secret === 'known' ? token : undefined }),
          }),
        );
        const platforms = await binding.bind(
          PlatformsDefinition,
          partly<Platforms>(PlatformsDefinition, {
            getCredential: async (request) => ({
              ...request,
              version: 1,
              exists: true,
              settings: { b: 'ü' },
              sealed: { a: Buffer.from([0, 255]) },
            }),
          }),
        );
        const applications = await binding.bind(
          ApplicationsDefinition,
          partly<Applications>(ApplicationsDefinition, { findApplication: async () => ({ application: undefined }) }),
        );
        expect(await tokens.resolveToken({ secret: 'known' })).toEqual({ token });
        expect(await tokens.resolveToken({ secret: '' })).toEqual({ token: undefined });
        const { sealed, ...credential } = await platforms.getCredential({ application: 'A', platform: 3 });
        expect(credential).toEqual({ application: 'A', platform: 3, version: 1, exists: true, settings: { b: 'ü' } });
        expect(Buffer.from(sealed['a']!)).toEqual(Buffer.from([0, 255]));
        expect(await applications.findApplication({ application: 'A' })).toEqual({ application: undefined });
      });

      it('keep unions, values of any type and their order', async () => {
        const seen: DeviceCommands[] = [];
        const implementation = partly<Devices>(DevicesDefinition, {
          apply: async (request) => {
            seen.push(request);
            return { replies: request.commands.map(({ hwid }) => ({ fault: { kind: 'argument', text: hwid } })) };
          },
          getTags: async () => ({
            tags: { Level: 6.5, Names: ['a', ''], None: null },
            integers: { Last: 2n ** 63n - 1n },
          }),
        });
        const devices = await binding.bind(DevicesDefinition, implementation);
        const head = { account: 'a', application: 'A', userId: '', idempotencyKey: '' };
        const tags = { Level: { operation: 'increment', value: 1 }, Names: ['a'], Off: null, On: true };
        const replies = await devices.apply({
          commands: [
            { ...head, hwid: 'h1', command: { $case: 'setTags', value: { tags } } },
            { ...head, hwid: 'h2', command: { $case: 'unregister', value: {} } },
            { ...head, hwid: 'h3', command: undefined },
          ],
        });
        expect(seen[0]!.commands).toMatchObject([
          { hwid: 'h1', command: { $case: 'setTags', value: { tags } } },
          { hwid: 'h2', command: { $case: 'unregister', value: {} } },
          { hwid: 'h3', command: undefined },
        ]);
        expect(replies.replies.map(({ fault }) => fault)).toEqual(
          ['h1', 'h2', 'h3'].map((text) => ({ kind: 'argument', text })),
        );
        expect(await devices.getTags({ account: 'a', application: 'A', hwid: 'h', userId: '' })).toEqual({
          tags: { Level: 6.5, Names: ['a', ''], None: null },
          integers: { Last: 2n ** 63n - 1n },
        });
      });

      it('may be large', async () => {
        const names = Array.from({ length: 2_000 }, (_, i) => `${i}`.padEnd(10_000, '.'));
        const seen: AcceptMessagesRequest[] = [];
        const implementation = partly<Messages>(MessagesDefinition, {
          accept: async (request) => {
            seen.push(request);
            const messages = names.map((code) => ({ code, answer: code, repeat: false, unknown: [] }));
            return { messages, refusal: undefined };
          },
        });
        const bound = await binding.bind(MessagesDefinition, implementation);
        const messages = names.map((campaignName) => MessageRequest.fromPartial({ campaignName }));
        const head = { account: 'a', applications: ['A'], group: '', grant: undefined };
        const { messages: created } = await bound.accept({ ...head, messages });
        expect(seen[0]!.messages.map(({ campaignName }) => campaignName)).toEqual(names);
        expect(created.map(({ code }) => code)).toEqual(names);
      });
    });
  });
}
