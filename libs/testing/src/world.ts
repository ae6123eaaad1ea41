import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, randomBase62 } from '@tidings/kernel';
import type { ApiClient, MethodName, Reply, ReplyOf, Secrets } from '@tidings/client';
import { type Configuration, type Logger, openLog } from '@tidings/runtime';
import type { SimulatorOptions, Simulators } from '@tidings/simulators';
import type { InRecord } from '@tidings/streaming';
import { answered } from './answered.ts';

/** The brokers of a Kafka, and the prefix of the platform's topics there. */
export interface KafkaPlace {
  readonly brokers: string;
  readonly namespace: string;
}

/** The platform from a test's perspective in any mode: its API, the provider simulators, and a barrier. */
export interface World {
  /** Base URL of the first gateway, and of all gateways. */
  readonly url: string;
  readonly urls: readonly string[];
  /** The port on which the first gateway takes incoming mail; undefined = none. */
  readonly mailPort: number | undefined;
  /** The port on which subscribers dial in; undefined = unknown to this world. */
  readonly eventsPort: number | undefined;
  /** The Kafka of the distributed mode; undefined = none, or unknown to this world. */
  readonly kafka: KafkaPlace | undefined;
  readonly dataFolder: string;
  readonly secrets: Secrets;
  readonly client: ApiClient;
  /** The provider simulators in this process, with their ledger and faults. */
  readonly simulators: Simulators;
  /** The successful reply of a method, called with the token that it requires; throws a Refusal otherwise. */
  call<Name extends MethodName>(name: Name, parameters?: Parameters): Promise<ReplyOf<Name>>;
  /** The reply of a method, whether success or failure. */
  reply(name: MethodName, parameters?: Parameters): Promise<Reply>;
  /** `POST /api/v2/<route>` with a server token. */
  v2(route: string, body: unknown): Promise<Reply>;
  /** Creates an application with credentials that the simulators accept, for the given platforms. @default iOS and Android */
  application(options?: ApplicationOptions): Promise<string>;
  /**
   * Registers `n` devices concurrently; `make` returns the parameters of each beside the application. Calls that a busy store leaves unanswered are
   * repeated, as clients do (R-ER10).
   */
  registerDevices(application: string, n: number, make: (i: number) => Parameters): Promise<void>;
  /**
   * Resolves when everything published is handled and nothing is due; rejects with the open work after `timeoutMs`. @default 60000
   * @param onOpen receives the open items of one service at each poll
   */
  settle(timeoutMs?: number, onOpen?: (items: readonly string[]) => void): Promise<void>;
  /** Advances the clock of the whole system and of the providers. */
  advance(seconds: number): Promise<void>;
  /** All current records of a topic. @throws Fault `bug` in worlds whose topics only their own processes read */
  recordsOn(topic: string): Promise<readonly InRecord[]>;
}

export type Parameters = Readonly<Record<string, unknown>>;

export interface ApplicationOptions {
  readonly title?: string;
  readonly ios?: boolean;
  readonly android?: boolean;
}

const CONNECTIONS = 64;
/** The barrier queries every process, so the polling interval grows, and is at least as long as the last query took: the work needs the cores. */
const [POLL_MS, MOST_POLL_MS] = [10, 200];
export const BUNDLE = 'com.example.test';
/** The domain of return paths. */
export const BOUNCE_DOMAIN = 'bounces.example';

interface WorldDeps {
  readonly urls: readonly string[];
  readonly mailPort?: number | undefined;
  readonly eventsPort?: number | undefined;
  readonly kafka?: KafkaPlace | undefined;
  readonly dataFolder: string;
  readonly secrets: Secrets;
  readonly client: ApiClient;
  readonly simulators: Simulators;
  /** The account of operators' calls that name none. @default the platform's own default */
  readonly account?: string;
  readonly recordsOn?: World['recordsOn'];
}

/** A new, empty folder for data. */
export const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tidings-world-'));

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** The configuration of a platform under test as environment variables: providers are simulated, and the clock can be set. */
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

/** The simulators and the programs are loaded on demand: most specs need neither. */
export const loadSimulators = async (options: SimulatorOptions = {}): Promise<Simulators> =>
  (await import('@tidings/simulators')).startSimulators({ control: false, ...options });

/** Operator methods that act on the default account unless another is named. */
const namesAccount: ReadonlySet<MethodName> = new Set<MethodName>([
  'blacklistAddress',
  'clearAddress',
  'clearComplaint',
  'createSubscription',
  'createToken',
  'getBlacklisted',
  'getComplaint',
  'recordComplaint',
  'setCategories',
  'setSenders',
]);

/** Does what {@link World.settle} does. */
export async function untilSettled(
  client: ApiClient,
  timeoutMs = 60_000,
  onOpen: (items: readonly string[]) => void = () => undefined,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = POLL_MS; ; pause = Math.min(2 * pause, MOST_POLL_MS)) {
    const askedAt = performance.now();
    const reply = await client.reply('settled', { brief: true });
    const tookMs = performance.now() - askedAt;
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

/** The items of a reply that work is open. */
const openItems = ({ body }: Reply): readonly string[] =>
  (body as { readonly error: { readonly message: string } }).error.message.split('\n');

const unreadable = (): never => {
  throw Fault.bug('the topics of this world are read by its own processes alone');
};

export function worldOf(deps: WorldDeps): World {
  const { client, simulators, urls, account } = deps;
  const ofAccount = (name: MethodName, parameters?: Parameters): Parameters | undefined =>
    account !== undefined && namesAccount.has(name) ? { account, ...parameters } : parameters;
  /** The key of all service accounts of the world, which differ in their addresses. */
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
        answered(() => client.call('configureApplication', settings));
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
          await answered(() => client.call('registerDevice', device));
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

/**
 * @param urls of the gateways, used in turn
 * @param account of the tokens @default the platform's own default
 */
export const connect = async (
  urls: readonly string[],
  admin: string,
  account?: string,
): Promise<{ secrets: Secrets; client: ApiClient }> => {
  const { ApiClient, issueTokens } = await import('@tidings/client');
  // A spare token does no harm, and on a busy machine the first write of a platform may take longer than a caller waits.
  const secrets = await answered(() => issueTokens(urls[0]!, admin, account));
  return { secrets, client: new ApiClient(urls, secrets, CONNECTIONS) };
};

/** Silent unless LOG_LEVEL is set. */
export const testLog = (): Logger =>
  openLog((process.env['LOG_LEVEL'] as Configuration['logLevel'] | undefined) ?? 'error');
