import { ApiClient, issueTokens } from '@tidings/client';
import type { Closing } from '@tidings/runtime';
import { CONNECTIONS, Customer } from './customer.ts';
import { deviceOf, isAddressed } from './demo-population.ts';
import { type Providers, startProviders } from './demo-providers.ts';
import { Screen } from './screen.ts';
import { startSystem, type SystemOptions } from './start-system.ts';
import { thousands } from './table.ts';

export interface DemoOptions extends SystemOptions {
  readonly devices: number;
  readonly closing: Closing;
}

const FEW = 20;

export async function runDemo({ devices: count, closing, ...system }: DemoOptions): Promise<boolean> {
  const screen = new Screen();
  const devices = Array.from({ length: count }, (_, n) => deviceOf(n));
  screen.say(`Tidings demo: a message in four languages to a segment of ${thousands(count)} devices\n`);
  const { providers, url } = await start(screen, closing, system);
  const secrets = await issueTokens(url, system.adminToken);
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
  // The frequency cap counts scheduled messages, too: no device gets both.
  const few = Math.min(FEW, Math.max(1, Math.floor(reached.length / 2)));
  faults.push(...(await customer.schedule(reached.slice(0, few))));
  faults.push(...(await customer.cap(reached.slice(-few))));
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
  options: SystemOptions,
): Promise<{ providers: Providers; url: string }> {
  let started: { providers: Providers; url: string } | undefined;
  await screen.step('start', async () => {
    const providers = closing.add('providers', await startProviders(options.folder), (opened) => opened.stop());
    const { url, form } = await startSystem(closing, options, {
      APNS_URL: providers.apnsUrl,
      FCM_URL: providers.fcmUrl,
      WEB_PUSH_SUBJECT: 'mailto:demo@example.com',
    });
    started = { providers, url };
    return `Tidings at ${url}${form}, with simulators of APNs, FCM and the push services of Chrome and Firefox`;
  });
  return started!;
}
