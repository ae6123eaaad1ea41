import { join } from 'node:path';
import { type Closing, freePort, openLog } from '@tidings/runtime';
import { ApiClient, issueTokens } from '../client/api-client.ts';
import { startCluster } from '../cluster/cluster.ts';
import { startPlatformProcess } from '../process/platform-process.ts';
import { CONNECTIONS, Customer } from './customer.ts';
import { deviceOf, isAddressed } from './demo-population.ts';
import { type Providers, startProviders } from './demo-providers.ts';
import { Screen } from './screen.ts';
import { thousands } from './table.ts';

export interface DemoOptions {
  readonly devices: number;
  /** An empty folder for data and logs. */
  readonly folder: string;
  /** The folder of the built services. */
  readonly apps: string;
  /** Runs every service as a separate process on Kafka, in place of all in one process. */
  readonly cluster: boolean;
  readonly adminToken: string;
  /** Collects everything started; the caller closes it. */
  readonly closing: Closing;
}

/** Devices of a message to named recipients. */
const FEW = 20;

/** Runs a whole campaign over HTTP, as a customer would. True if every figure agrees, to the last device. */
export async function runDemo({ devices: count, adminToken, closing, ...places }: DemoOptions): Promise<boolean> {
  const screen = new Screen();
  const devices = Array.from({ length: count }, (_, n) => deviceOf(n));
  screen.say(`Tidings demo: a message in four languages to a segment of ${thousands(count)} devices\n`);
  const { providers, url } = await start(screen, closing, { adminToken, ...places });
  const secrets = await issueTokens(url, adminToken);
  const client = closing.add('client', new ApiClient(url, secrets, CONNECTIONS), (opened) => opened.close());
  const customer = new Customer(client, providers, screen);
  await customer.configure();
  await customer.register(devices);
  const addressed = devices.filter(isAddressed);
  await customer.send(addressed);
  const pushes = await customer.report(addressed);
  const { faults, throttled } = await customer.compare(addressed, pushes);
  const tokens = new Set(pushes.map(({ token }) => token));
  const reached = addressed.filter(({ token }) => tokens.has(token));
  faults.push(...(await customer.schedule(reached.slice(0, FEW))));
  faults.push(...(await customer.cap(reached.slice(-FEW))));
  for (const fault of faults.slice(0, 20)) screen.say(`  ! ${fault}`);
  screen.say(
    faults.length > 0
      ? `\n${faults.length} things do not agree.`
      : `\nAll agree, to the last device, and each was shown its own text. ${thousands(throttled)} pushes were refused with Retry-After first. ${screen.seconds} s in all.`,
  );
  return faults.length === 0;
}

async function start(
  screen: Screen,
  closing: Closing,
  { folder, apps, cluster, adminToken }: Omit<DemoOptions, 'devices' | 'closing'>,
): Promise<{ providers: Providers; url: string }> {
  let started: { providers: Providers; url: string } | undefined;
  await screen.step('start', async () => {
    const providers = closing.add('providers', await startProviders(folder), (opened) => opened.stop());
    const env = {
      APNS_URL: providers.apnsUrl,
      FCM_URL: providers.fcmUrl,
      WEB_PUSH_SUBJECT: 'mailto:demo@example.com',
      // The token URL of the service account and the endpoints of browsers are addresses given by callers.
      TIDINGS_ALLOW_PRIVATE: '127.0.0.0/8',
      TIDINGS_ADMIN_TOKEN: adminToken,
    };
    const platform = cluster
      ? await startCluster({ apps, folder, env, adminToken, log: openLog('error') })
      : await startPlatformProcess({
          entry: join(apps, 'platform/dist/main.js'),
          dataFolder: folder,
          port: await freePort(),
          env,
        });
    closing.add('platform', platform, (opened) => opened.stop());
    started = { providers, url: platform.url };
    const form = 'members' in platform ? ` in ${platform.members.length} processes on Kafka` : '';
    return `Tidings at ${platform.url}${form}, with stand-ins for APNs, FCM and the push services of Chrome and Firefox`;
  });
  return started!;
}
