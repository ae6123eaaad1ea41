import { ApiClient, Refusal } from '@tidings/client';
import type { GatewayAccess } from '@tidings/platform';
import { generateVapidKeys } from '../vapid-keys.ts';

const TITLE = 'Web push demo';
const [CHROME, FIREFOX] = ['chrome', 'firefox'] as const;
const DEVICE_TYPES = { chrome: 11, firefox: 12 } as const;
const TOKEN_MS = 24 * 3_600_000;
const TOKEN_USED_MS = 12 * 3_600_000;
const SETUP_TOKEN_MS = 5 * 60_000;
const CONNECTIONS = 4;
const RATE = { requests: 120, seconds: 60 };

const unusedAccount = {
  type: 'service_account',
  project_id: 'none',
  private_key: 'none',
  client_email: 'nobody@example.com',
};

interface Account {
  readonly application: string;
  readonly deviceToken: string;
  readonly client: ApiClient;
  readonly usedUntil: number;
}

export class DemoCustomer {
  readonly #options: GatewayAccess;
  readonly #operator: ApiClient;
  #account: Promise<Account> | undefined;

  constructor(options: GatewayAccess) {
    this.#options = options;
    this.#operator = new ApiClient(options.url, { admin: options.adminToken }, CONNECTIONS);
  }

  async open(): Promise<{ readonly application: string; readonly token: string }> {
    const { application, deviceToken } = await this.#opened();
    return { application, token: deviceToken };
  }

  async send(hwid: string): Promise<string> {
    const { application, client } = await this.#opened();
    // Codes of small messages are shown in debug mode only (R-I6).
    await this.#operator.call('setDebug', { code: application });
    const { Messages: messages } = await client.call('createMessage', {
      application,
      notifications: [
        {
          content: 'This message came through Tidings',
          chrome_title: 'Tidings',
          firefox_title: 'Tidings',
          link: `${this.#options.url}/demo/web-push`,
          minimize_link: 0,
          devices: [hwid],
        },
      ],
    });
    return messages[0]!;
  }

  async explain(message: string, hwid: string): Promise<{ readonly answer: string; readonly explanation: string }> {
    const { application } = await this.#opened();
    const { answer, explanation } = await this.#operator.call('explain', { application, message, hwid });
    return { answer, explanation };
  }

  close(): void {
    this.#operator.close();
    void this.#account?.then(({ client }) => client.close()).catch(() => undefined);
  }

  /** Serialized, so only one application is created; failures are not cached. */
  #opened(): Promise<Account> {
    const before = this.#account ?? Promise.resolve(undefined);
    this.#account = before.then(
      (cached) => this.#renewed(cached),
      () => this.#prepared(),
    );
    return this.#account;
  }

  async #renewed(cached: Account | undefined): Promise<Account> {
    if (cached && this.#options.clock.now() < cached.usedUntil && (await isThere(cached))) return cached;
    cached?.client.close();
    return this.#prepared();
  }

  async #prepared(): Promise<Account> {
    const application = await this.#ownApplication();
    const usedUntil = this.#options.clock.now() + TOKEN_USED_MS;
    const [api, device] = await Promise.all([
      this.#tokenFor('api', application),
      this.#tokenFor('device', application),
    ]);
    const client = new ApiClient(this.#options.url, { api, device }, CONNECTIONS);
    const { features } = await client.call('getConfig', { application });
    if (features.vapid_key === undefined) await configure(client, application);
    return { application, deviceToken: device, client, usedUntil };
  }

  async #tokenFor(scope: 'api' | 'device', application: string): Promise<string> {
    const expires_at = this.#after(TOKEN_MS);
    const { id, token } = await this.#operator.call('createToken', { scope, applications: [application], expires_at });
    await this.#operator.call('setRateLimit', { id, ...RATE });
    return token;
  }

  async #ownApplication(): Promise<string> {
    const expires_at = this.#after(SETUP_TOKEN_MS);
    const setup = await this.#operator.call('createToken', { scope: 'api', applications: 'all', expires_at });
    const client = new ApiClient(this.#options.url, { api: setup.token }, 1);
    try {
      return (await found(client)) ?? (await client.call('createApplication', { title: TITLE })).application;
    } finally {
      client.close();
      await this.#operator.call('deleteToken', { id: setup.id });
    }
  }

  #after(ms: number): string {
    return new Date(this.#options.clock.now() + ms).toISOString();
  }
}

async function found(client: ApiClient): Promise<string | undefined> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { applications, total = 1 } = await client.call('getApplications', { page });
    const own = Object.entries(applications).find(([, title]) => title === TITLE);
    if (own) return own[0];
    pages = total;
  }
  return undefined;
}

async function isThere({ client, application }: Account): Promise<boolean> {
  try {
    await client.call('getApplication', { application });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Both browsers get the same keys: a page subscribes with one. */
async function configure(client: ApiClient, application: string): Promise<void> {
  const { publicKey, privateKey } = generateVapidKeys();
  // Chrome is last: getConfig shows its key first.
  for (const browser of [FIREFOX, CHROME]) {
    await client.call('configureApplication', {
      application,
      device_type: DEVICE_TYPES[browser],
      [`${browser}_fcm_service_account`]: unusedAccount,
      [`${browser}_vapid_key`]: publicKey,
      [`${browser}_vapid_private_key`]: privateKey,
    });
  }
}
