import { all } from './all.ts';
import { faultsIn, faultsInPushes, figuresTable, type Testimony } from './checks.ts';
import { generateCredentials } from './demo-credentials.ts';
import {
  conditions,
  content,
  type DemoDevice,
  type DemoPlatform,
  platforms,
  subscriptionKeys,
} from './demo-population.ts';
import type { Providers, Push } from './demo-providers.ts';
import { cappedIn, expected, ofFunnel, ofLedger, ofMetrics } from './figures.ts';
import type { Screen } from './screen.ts';
import { type Listed, SentMessages } from './sent-messages.ts';
import { thousands } from './table.ts';
import type { ApiClient } from '@tidings/client';

export const CONNECTIONS = 64;
const SCHEDULED_AHEAD_MS = 5_000;

const sendsOf = (item: Listed | undefined): number =>
  item?.push_info?.metrics?.reduce((sum, { sends }) => sum + sends, 0) ?? 0;

export class Customer {
  readonly #client: ApiClient;
  readonly #providers: Providers;
  readonly #screen: Screen;
  #application = '';
  #messages!: SentMessages;
  #message = '';

  constructor(client: ApiClient, providers: Providers, screen: Screen) {
    this.#client = client;
    this.#providers = providers;
    this.#screen = screen;
  }

  configure(): Promise<void> {
    return this.#screen.step('configure', async () => {
      const credentials = generateCredentials(this.#providers.tokenUrl);
      await this.#providers.registerKeys(credentials.publicKeys);
      const { application } = await this.#client.call('createApplication', { title: 'Demo' });
      this.#application = application;
      this.#messages = new SentMessages(this.#client, application);
      for (const settings of [credentials.ios, credentials.android, credentials.chrome, credentials.firefox]) {
        await this.#client.call('configureApplication', { application, ...settings });
      }
      await this.#client.call('addTag', { tag: { name: 'Level', type: 1, application_specific: true } });
      await this.#client.call('addTag', { tag: { name: 'Plan', type: 2, application_specific: true } });
      await this.#client.call('addTag', { tag: { name: 'Name', type: 2 } });
      return `application ${application} with an APNs key, a Google service account, two VAPID keys and three tags`;
    });
  }

  register(devices: readonly DemoDevice[]): Promise<void> {
    return this.#screen.step('register', async (progress) => {
      const started = performance.now();
      const registration = ({ hwid, platform, language, token, tags }: DemoDevice) => ({
        application: this.#application,
        hwid,
        device_type: platform.code,
        ...(token === '' ? {} : this.#addressOf(platform, token)),
        language,
        tags,
      });
      await all(devices, CONNECTIONS, (device) => this.#client.call('registerDevice', registration(device)), progress);
      const rate = (devices.length / (performance.now() - started)) * 1000;
      return `${thousands(devices.length)} devices, ${thousands(Math.round(rate))} a second`;
    });
  }

  #addressOf(platform: DemoPlatform, token: string): Readonly<Record<string, string>> {
    if (platform.provider !== 'webpush') return { push_token: token };
    return { push_token: this.#providers.webPushUrlOf(platform) + token, ...subscriptionKeys(token) };
  }

  send(addressed: readonly DemoDevice[]): Promise<void> {
    return this.#screen.step('send', async (progress) => {
      const { Messages: messages } = await this.#client.call('createMessage', {
        application: this.#application,
        notifications: [{ send_date: 'now', content, title: 'Your week', conditions, conditions_operator: 'AND' }],
      });
      this.#message = messages[0]!;
      await this.#messages.untilDone(this.#message, (settled) => progress(settled, addressed.length));
      return `message ${this.#message} to ${thousands(addressed.length)} devices: Level BETWEEN 20 and 79 AND Plan IN (gold, silver)`;
    });
  }

  async report(addressed: readonly DemoDevice[]): Promise<readonly Push[]> {
    let pushes: readonly Push[] = [];
    await this.#screen.step('report', async (progress) => {
      pushes = (await Promise.all(platforms.map((platform) => this.#providers.accepted(platform)))).flat();
      const hashes = new Map(pushes.map(({ token, hash }) => [token, hash] as const));
      const got = addressed.filter(({ token }) => hashes.has(token));
      const deliveries = got.filter(({ reportsDelivery }) => reportsDelivery);
      const opens = got.filter(({ reportsOpen }) => reportsOpen);
      const reports = [
        ...deliveries.map((device) => ['messageDeliveryEvent', device] as const),
        ...opens.map((device) => ['pushStat', device] as const),
      ];
      await all(
        reports,
        CONNECTIONS,
        ([method, { hwid, token }]) =>
          this.#client.call(method, { application: this.#application, hwid, hash: hashes.get(token) }),
        progress,
      );
      return `${thousands(deliveries.length)} deliveries and ${thousands(opens.length)} opens`;
    });
    return pushes;
  }

  async compare(
    addressed: readonly DemoDevice[],
    pushes: readonly Push[],
  ): Promise<{ readonly faults: string[]; readonly throttled: number }> {
    await this.#screen.step('settle', async () => {
      await this.#messages.settled();
      return 'everything published has been counted';
    });
    const [item, funnel, ledgers] = await Promise.all([
      this.#messages.listed(this.#message),
      this.#client.call('getDeliveryFunnel', { message_code: this.#message }),
      Promise.all(platforms.map((platform) => this.#providers.summary(platform))),
    ]);
    const testimonies = platforms.map((platform, i): Testimony => ({
      platform,
      expected: expected(addressed, platform),
      metrics: ofMetrics(item, platform),
      funnel: ofFunnel(funnel, platform),
      ledger: ofLedger(ledgers[i]!),
    }));
    this.#screen.say(`\n${figuresTable(testimonies)}\n`);
    const throttled = testimonies.reduce((sum, { ledger }) => sum + ledger.throttled, 0);
    return { faults: [...faultsIn(testimonies), ...faultsInPushes(addressed, pushes)], throttled };
  }

  async schedule(devices: readonly DemoDevice[]): Promise<string[]> {
    const faults: string[] = [];
    await this.#screen.step('schedule', async () => {
      const due = new Date(Date.now() + SCHEDULED_AHEAD_MS);
      const send_date = due.toISOString().slice(0, 19);
      const notification = { send_date, content: 'Later', devices: devices.map(({ hwid }) => hwid) };
      const { Messages: messages } = await this.#client.call('createMessage', {
        application: this.#application,
        notifications: [notification, { ...notification, content: 'Never' }],
      });
      const [sent, canceled] = messages as [string, string];
      const waiting = await this.#messages.listed(sent);
      if (waiting?.status !== 'PENDING') faults.push(`the scheduled message is ${waiting?.status ?? 'unlisted'}`);
      await this.#client.call('deleteMessage', { message: canceled });
      await this.#messages.untilDone(sent);
      await this.#messages.settled();
      const [done, never] = await Promise.all([this.#messages.listed(sent), this.#messages.listed(canceled)]);
      if (sendsOf(done) !== devices.length) faults.push(`the scheduled message was sent to ${sendsOf(done)} devices`);
      if (never?.status !== 'CANCELED' || sendsOf(never) > 0) {
        faults.push(`the canceled message is ${never?.status ?? 'unlisted'}, sent to ${sendsOf(never)} devices`);
      }
      return `message ${sent} to ${devices.length} devices, sent when it was due; another was canceled before, and reached nobody`;
    });
    return faults;
  }

  async cap(devices: readonly DemoDevice[]): Promise<string[]> {
    const faults: string[] = [];
    await this.#screen.step('cap', async () => {
      const capping = { capping_days: 7, capping_count: 2 };
      const notification = { content: 'At most twice a week', devices: devices.map(({ hwid }) => hwid), ...capping };
      const codes: string[] = [];
      for (let sent = 0; sent < 2; sent++) {
        const { Messages: messages } = await this.#client.call('createMessage', {
          application: this.#application,
          notifications: [notification],
        });
        await this.#messages.untilDone(messages[0]!);
        codes.push(messages[0]!);
      }
      await this.#messages.settled();
      const [allowed, capped] = await Promise.all(codes.map((code) => this.#messages.listed(code)));
      if (sendsOf(allowed) !== devices.length)
        faults.push(`the first capped message was sent to ${sendsOf(allowed)} devices`);
      if (sendsOf(capped) > 0) faults.push(`a message beyond the frequency cap was sent to ${sendsOf(capped)} devices`);
      const excluded = cappedIn(await this.#client.call('getDeliveryFunnel', { message_code: codes[1] }));
      if (excluded !== devices.length) faults.push(`the frequency cap excluded ${excluded} devices`);
      return `message ${codes[0]} to ${devices.length} devices, their second in 7 days; a third was kept from all of them`;
    });
    return faults;
  }
}
