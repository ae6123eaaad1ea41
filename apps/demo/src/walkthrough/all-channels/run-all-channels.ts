import { join } from 'node:path';
import { ApiClient, issueTokens } from '@tidings/client';
import type { Closing } from '@tidings/runtime';
import { all } from '../all.ts';
import { type Simulators, startSimulators } from '../demo-providers.ts';
import type { DemoOptions } from '../run-demo.ts';
import { Screen } from '../screen.ts';
import { SentMessages } from '../sent-messages.ts';
import { startSystem } from '../start-system.ts';
import { thousands } from '../table.ts';
import { type ChannelFigures, channelFigures, channelsTable, type Entry, faultsInChannel } from './channel-figures.ts';
import { type ChannelDevice, channelDeviceOf, channelPlatforms, registrationOf } from './channel-population.ts';
import { allSettings, providerVariables } from './channel-settings.ts';

const CONNECTIONS = 32;
const PAGE = 5000;
const KAKAO = 22;
const TEXT = 'Hello {{Name|Regular|friend}}, your week in numbers is here';

interface Scene {
  readonly screen: Screen;
  readonly simulators: Simulators;
  readonly client: ApiClient;
}

export async function runAllChannels({ devices: count, closing, ...system }: DemoOptions): Promise<boolean> {
  const screen = new Screen();
  const devices = Array.from({ length: count }, (_, n) => channelDeviceOf(n));
  screen.say(`Tidings demo: a message to ${thousands(count)} devices and contacts on all channels\n`);
  const { simulators, url } = await start(screen, closing, system);
  const secrets = await issueTokens(url, system.adminToken);
  const client = closing.add('client', new ApiClient(url, secrets, CONNECTIONS), (opened) => opened.close());
  const scene: Scene = { screen, simulators, client };
  const application = await configure(scene);
  await register(scene, application, devices);
  const codes = await send(scene, application, devices.filter(({ isAddressed }) => isAddressed).length);
  const figures = await compare(scene, devices, codes);
  const faults = figures.flatMap(faultsInChannel);
  for (const fault of faults.slice(0, 20)) screen.say(`  ! ${fault}`);
  screen.say(conclusion(figures, faults.length, screen.seconds));
  return faults.length === 0;
}

function conclusion(figures: readonly ChannelFigures[], faults: number, seconds: string): string {
  if (faults > 0) return `${faults} things do not agree.`;
  const repeated = figures.reduce((sum, { ledger }) => sum + ledger.repeated, 0);
  return `Funnel and ledger agree on ${figures.length} channels, to the last device. ${thousands(repeated)} messages had to be repeated, and none arrived twice. A mail\nwhose recipient the mail server refuses counts as sent, and as a bounce. ${seconds} s in all.`;
}

async function start(screen: Screen, closing: Closing, system: Omit<DemoOptions, 'devices' | 'closing'>) {
  let started: { simulators: Simulators; url: string } | undefined;
  await screen.step('start', async () => {
    const logFile = join(system.folder, 'simulators.log');
    const simulators = closing.add('providers', await startSimulators(logFile), (opened) => opened.stop());
    const { url, form } = await startSystem(closing, system, providerVariables(simulators));
    started = { simulators, url };
    return `Tidings at ${url}${form}, with simulators of the providers of all channels`;
  });
  return started!;
}

async function configure({ screen, client, simulators }: Scene): Promise<string> {
  let application = '';
  await screen.step('configure', async () => {
    const { settings, publicKeys } = allSettings(simulators);
    await simulators.control.send('/keys', { method: 'POST', body: publicKeys });
    ({ application } = await client.call('createApplication', { title: 'All channels' }));
    await client.call('setDebug', { code: application });
    for (const each of settings) await client.call('configureApplication', { application, ...each });
    for (const name of ['Name', 'Audience']) await client.call('addTag', { tag: { name, type: 2 } });
    return `application ${application} with the settings of ${settings.length} platforms`;
  });
  return application;
}

function register({ screen, client, simulators }: Scene, application: string, devices: readonly ChannelDevice[]) {
  return screen.step('register', async (progress) => {
    const numbered = devices.map((device, n) => ({ application, ...registrationOf(device, simulators, n) }));
    await all(numbered, CONNECTIONS, (parameters) => client.call('registerDevice', parameters), progress);
    const outside = devices.filter(({ isAddressed }) => !isAddressed).length;
    return `${thousands(devices.length)} devices and contacts, ${thousands(outside)} of them outside the audience`;
  });
}

async function send({ screen, client }: Scene, application: string, addressed: number): Promise<string[]> {
  let codes: string[] = [];
  await screen.step('send', async (progress) => {
    const platforms = channelPlatforms.map(({ code }) => code).filter((code) => code !== KAKAO);
    const conditions = [['Audience', 'EQ', 'demo']];
    const notification = { send_date: 'now', title: 'Your week', content: TEXT, platforms, conditions };
    const { Messages: messages } = await client.call('createMessage', { application, notifications: [notification] });
    const { result } = await client.call('notify', {
      segment: {
        application,
        platforms: ['KAKAO'],
        expression: `Tag("${application}", "Audience", EQ, "demo")`,
        kakao: { template: 'week', content_variables: JSON.stringify({ name: '{{Name|Regular|friend}}' }) },
      },
    });
    codes = [messages[0]!, result.message_code];
    const sent = new SentMessages(client, application);
    await sent.untilDone(codes[0]!, (outcomes) => progress(outcomes, addressed));
    await sent.untilDone(codes[1]!);
    await sent.settled();
    return `message ${codes[0]} to all platforms but Kakao, and ${codes[1]} there, by a template: Audience EQ demo`;
  });
  return codes;
}

async function compare({ screen, client, simulators }: Scene, devices: readonly ChannelDevice[], codes: string[]) {
  const providers = new Set(channelPlatforms.map(({ provider, channel }) => provider ?? channel));
  const funnels = await Promise.all(codes.map((message_code) => client.call('getDeliveryFunnel', { message_code })));
  const ledgers = new Map<string, readonly Entry[]>();
  for (const provider of providers) ledgers.set(provider, await entriesOf(simulators, provider));
  const figures = channelFigures(devices, funnels, (provider) => ledgers.get(provider) ?? []);
  screen.say(
    '\nAudience, sent, errors and bounced are those of getDeliveryFunnel; the rest is from the ledgers of the simulated providers.',
  );
  screen.say(`\n${channelsTable(figures)}\n`);
  return figures;
}

async function entriesOf({ control }: Simulators, provider: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const query = `provider=${provider}&limit=${PAGE}&offset=${entries.length}`;
    const page = (await control.send(`/ledger/entries?${query}`)).body as Entry[];
    entries.push(...page);
    if (page.length < PAGE) return entries;
  }
}
