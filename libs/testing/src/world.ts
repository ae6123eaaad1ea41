import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, randomBase62 } from '@tidings/kernel';
import type { ApiClient, MethodName, Reply, ReplyOf, Secrets } from '@tidings/client';
import { type Configuration, type Logger, openLog } from '@tidings/runtime';
import type { SimulatorOptions, Simulators } from '@tidings/simulators';
import type { InRecord } from '@tidings/streaming';
import { retryUntilAnswered } from './retry-until-answered.ts';

export interface KafkaAddress {
  readonly brokers: string;
  readonly namespace: string;
}

export interface World {
  readonly url: string;
  readonly urls: readonly string[];
  /** Undefined = no incoming mail. */
  readonly mailPort: number | undefined;
  /** Undefined = unknown to this world. */
  readonly eventsPort: number | undefined;
  /** Undefined = none, or unknown to this world. */
  readonly kafka: KafkaAddress | undefined;
  readonly dataFolder: string;
  readonly secrets: Secrets;
  readonly client: ApiClient;
  readonly simulators: Simulators;
  /** @throws Refusal for any other reply */
  call<Name extends MethodName>(name: Name, parameters?: Parameters): Promise<ReplyOf<Name>>;
  reply(name: MethodName, parameters?: Parameters): Promise<Reply>;
  /** `POST /api/v2/<route>` with a server token. */
  v2(route: string, body: unknown): Promise<Reply>;
  /** @default iOS and Android */
  application(options?: ApplicationOptions): Promise<string>;
  /** Concurrently; unanswered calls are repeated, as clients do (R-ER10). */
  registerDevices(application: string, n: number, make: (i: number) => Parameters): Promise<void>;
  /** Rejects with the open work after `timeoutMs`. @default 60000 @param onOpen receives one service's open items at each poll */
  settle(timeoutMs?: number, onOpen?: (items: readonly string[]) => void): Promise<void>;
  /** The system's and the providers' clock. */
  advance(seconds: number): Promise<void>;
  /** @throws Fault `bug` in worlds whose topics only their own processes read */
  recordsOn(topic: string): Promise<readonly InRecord[]>;
}

export type Parameters = Readonly<Record<string, unknown>>;

export interface ApplicationOptions {
  readonly title?: string;
  readonly ios?: boolean;
  readonly android?: boolean;
}

const CONNECTIONS = 64;
/** Every process is queried: the pause grows, and lasts at least as long as the last query. */
const [POLL_MS, MOST_POLL_MS] = [10, 200];
export const BUNDLE = 'com.example.test';
export const BOUNCE_DOMAIN = 'bounces.example';

interface WorldDeps {
  readonly urls: readonly string[];
  readonly mailPort?: number | undefined;
  readonly eventsPort?: number | undefined;
  readonly kafka?: KafkaAddress | undefined;
  readonly dataFolder: string;
  readonly secrets: Secrets;
  readonly client: ApiClient;
  readonly simulators: Simulators;
  /** For calls that name none. @default the platform's own default */
  readonly account?: string;
  readonly recordsOn?: World['recordsOn'];
}

export const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tidings-world-'));

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

export const testEnvironment = ({ urlOf }: Pick<Simulators, 'urlOf'>, admin: string): Record<string, string> => ({
  APNS_URL: urlOf('apns'),
  APNS_SANDBOX_URL: urlOf('apns'),
  FCM_URL: urlOf('fcm'),
  HMS_URL: urlOf('hms'),
  HMS_TOKEN_URL: `${urlOf('hms')}/oauth2/v3/token`,
  WHATSAPP_URL: urlOf('whatsapp'),
  LINE_URL: urlOf('line'),
  WNS_TOKEN_URL: `${urlOf('wns')}/accesstoken.srf`,
  SMTP_URL: urlOf('email'),
  MAIL_BOUNCE_DOMAIN: BOUNCE_DOMAIN,
  ADM_URL: urlOf('adm'),
  ADM_TOKEN_URL: `${urlOf('adm')}/auth/O2/token`,
  KAKAO_URL: urlOf('kakao'),
  // Callers provide the token URLs of service accounts.
  TIDINGS_ALLOW_PRIVATE: '127.0.0.0/8',
  TIDINGS_ADMIN_TOKEN: admin,
  TIDINGS_TEST_CLOCK: '1',
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
});

export const newAdminToken = (): string => `test-${randomBase62(24)}`;

/** On demand: most specs need no simulators. */
export const loadSimulators = async (options: SimulatorOptions = {}): Promise<Simulators> =>
  (await import('@tidings/simulators')).startSimulators({ control: false, ...options });

const namesAccount: ReadonlySet<MethodName> = new Set<MethodName>([
  'blacklistAddress',
  'clearAddress',
  'clearComplaint',
  'createSubscription',
  'createToken',
  'getBlacklisted',
  'getComplaint',
  'listGroups',
  'listJobs',
  'listSuppressions',
  'recordComplaint',
  'setCategories',
  'setSenders',
]);

export async function untilSettled(
  client: ApiClient,
  timeoutMs = 60_000,
  onOpen: (items: readonly string[]) => void = () => undefined,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = POLL_MS; ; pause = Math.min(2 * pause, MOST_POLL_MS)) {
    const startedAt = performance.now();
    const reply = await client.reply('settled', { brief: true });
    const tookMs = performance.now() - startedAt;
    const deletions = reply.status === 200 ? await client.reply('listDeletions') : undefined;
    if (deletions?.status === 200 && purgesIn(deletions).length === 0) return;
    // A restarting database leaves the call unanswered; any other status is an error of the test.
    const { status: replied } = deletions ?? reply;
    const open = replied === 200 || replied === 409 || replied >= 500;
    if (reply.status === 409) onOpen(openItems(reply));
    if (!open || Date.now() > deadline) {
      const { status, body } = deletions ?? (open ? await client.reply('settled') : reply);
      throw Fault.unavailable(`not settled: HTTP ${status} ${JSON.stringify(body)}`);
    }
    await delay(Math.max(pause, tookMs));
  }
}

const purgesIn = ({ body }: Reply): readonly unknown[] =>
  (body as { readonly deletions: readonly unknown[] }).deletions;

const openItems = ({ body }: Reply): readonly string[] =>
  (body as { readonly error: { readonly message: string } }).error.message.split('\n');

const unreadable = (): never => {
  throw Fault.bug('the topics of this world are read by its own processes alone');
};

export function worldOf(deps: WorldDeps): World {
  const { client, simulators, urls, account } = deps;
  const ofAccount = (name: MethodName, parameters?: Parameters): Parameters | undefined =>
    account !== undefined && namesAccount.has(name) ? { account, ...parameters } : parameters;
  /** Shared by service accounts, which differ in their addresses. */
  let rsaKey: string | undefined;
  return {
    ...deps,
    url: urls[0]!,
    mailPort: deps.mailPort,
    eventsPort: deps.eventsPort,
    kafka: deps.kafka,
    recordsOn: deps.recordsOn ?? unreadable,
    call: (name, parameters) => client.call(name, ofAccount(name, parameters)),
    reply: (name, parameters) => client.reply(name, ofAccount(name, parameters)),
    v2: (route, body) => client.v2(route, body),

    async application({ title = 'Test', ios = true, android = true } = {}) {
      const { generateApnsKey, generateRsaKey, generateServiceAccount, publicKeyOf } =
        await import('@tidings/simulators');
      const { application } = await client.call('createApplication', { title });
      const configure = (settings: Parameters): Promise<unknown> =>
        retryUntilAnswered(() => client.call('configureApplication', settings));
      if (ios) {
        const key = generateApnsKey();
        simulators.keys.register({ apns: [{ keyId: key.keyId, teamId: key.teamId, publicKey: key.publicKey }] });
        await configure({
          application,
          device_type: 1,
          ios_key_management_type: 'manual',
          ios_key_file: Buffer.from(key.privateKey).toString('base64'),
          ios_key_password: '',
          ios_gateway: 1,
          ios_framework: 'native',
          ios_bundle_id: BUNDLE,
          ios_key_id: key.keyId,
          ios_team_id: key.teamId,
        });
      }
      if (android) {
        const account = generateServiceAccount(simulators.tokenUrl, undefined, (rsaKey ??= generateRsaKey()));
        simulators.keys.register({ google: [publicKeyOf(account)] });
        await configure({
          application,
          device_type: 3,
          android_framework: 'native',
          android_fcm_service_account: account,
        });
      }
      return application;
    },

    async registerDevices(application, n, make) {
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < n) {
          const device = { application, ...make(next++) };
          await retryUntilAnswered(() => client.call('registerDevice', device));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    },

    settle: (timeoutMs, onOpen) => untilSettled(client, timeoutMs, onOpen),

    async advance(seconds) {
      simulators.clock.advance(seconds * 1000);
      await client.call('advanceClock', { advance_seconds: seconds });
    },
  };
}

/** @param urls of the gateways, used in turn @param account @default the platform's own default */
export const connect = async (
  urls: readonly string[],
  admin: string,
  account?: string,
): Promise<{ secrets: Secrets; client: ApiClient }> => {
  const { ApiClient, issueTokens } = await import('@tidings/client');
  // A spare token does no harm, and a busy platform's first write may be late.
  const secrets = await retryUntilAnswered(() => issueTokens(urls[0]!, admin, account));
  return { secrets, client: new ApiClient(urls, secrets, CONNECTIONS) };
};

/** Silent unless LOG_LEVEL is set. */
export const testLog = (): Logger =>
  openLog((process.env['LOG_LEVEL'] as Configuration['logLevel'] | undefined) ?? 'error');
