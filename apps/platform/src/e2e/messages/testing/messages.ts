import { afterAll, beforeAll } from '@jest/globals';
import {
  brokenInvariants,
  metricsIn,
  listedMessage,
  type Parameters,
  platform,
  type PlatformWorld,
} from '@tidings/testing';

export const IOS = 1;
export const ANDROID = 3;
export const CHROME = 11;
export const MAC = 7;
export const SMS = 18;
export const providers = [
  [IOS, 'apns'],
  [ANDROID, 'fcm'],
] as const;
export const CODE = /^[0-9A-F]{4}-[0-9A-F]{8}-[0-9A-F]{8}$/;
export const HIDDEN = 'CODE_NOT_AVAILABLE';

export const android = (token: string): Parameters => ({ device_type: ANDROID, push_token: token });
export const ios = (token: string): Parameters => ({ device_type: IOS, push_token: token });

export class MessagesUnderTest {
  world!: PlatformWorld;

  constructor() {
    beforeAll(async () => {
      this.world = await platform({ simulators: { keepPayloads: true } });
      await this.world.call('addTag', { tag: { name: 'Level', type: 1, application_specific: true } });
      await this.world.call('addTag', { tag: { name: 'Plan', type: 2, application_specific: true } });
      await this.world.call('addTag', { tag: { name: 'Name', type: 2 } });
      await this.world.call('addTag', { tag: { name: 'Interests', type: 3, application_specific: true } });
    });
    afterAll(() => this.world?.stop());
  }

  readonly send = async (application: string, ...notifications: Parameters[]) =>
    this.world.call('createMessage', { application, notifications });
  readonly sendOne = async (application: string, notification: Parameters): Promise<string> =>
    (await this.send(application, notification)).Messages[0]!;
  readonly register = (application: string, hwid: string, more: Parameters) =>
    this.world.call('registerDevice', { application, hwid, ...more });
  readonly tagsOf = async (application: string, hwid: string) =>
    (await this.world.call('getTags', { application, hwid })).result;
  readonly funnelOf = (code: string, platforms?: number[]) =>
    this.world.call('getDeliveryFunnel', { message_code: code, ...(platforms ? { platforms } : {}) });
  readonly metricsOf = async (application: string, code: string) => {
    const item = await listedMessage(this.world, application, code);
    return item ? metricsIn(item) : [];
  };
  readonly brokenBy = async (application: string, code: string) =>
    brokenInvariants(await this.funnelOf(code), await this.metricsOf(application, code));
  readonly pushesTo = (provider: 'apns' | 'fcm', token: string): string[] =>
    this.world.simulators.ledger
      .of(provider)
      .entries({ token, limit: Infinity })
      .map(({ reason }) => reason);
  readonly payloadOf = (provider: 'apns' | 'fcm', token: string): Record<string, unknown> =>
    JSON.parse(
      this.world.simulators.ledger.of(provider).entries({ token, limit: Infinity }).at(-1)!.payload!,
    ) as Record<string, unknown>;
  readonly payloadsOf = (provider: 'apns' | 'fcm', token: string): SentPayload[] =>
    this.world.simulators.ledger
      .of(provider)
      .entries({ token, limit: Infinity })
      .map(({ payload }) => JSON.parse(payload!) as SentPayload);
  readonly applicationInDebug = async (): Promise<string> => {
    const application = await this.world.application();
    await this.world.call('setDebug', { code: application });
    return application;
  };
}

interface SentPayload {
  readonly aps?: Readonly<Record<string, unknown>>;
  readonly message?: { readonly data: Readonly<Record<string, unknown>> };
}
