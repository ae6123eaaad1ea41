import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { productVersion, readEnv } from '@tidings/runtime';
import { startSubscriber } from '@tidings/simulators';
import { platformProcess, type World } from '@tidings/testing';
import { exportData } from '../../data/export-data.ts';
import { answersOf, type Question } from './answers.ts';
import { MASTER_KEY, type WaitingMessage, writeFixture } from './fixture.ts';
import { addTags, EMAIL, registerShop, shopApplication } from './shop-devices.ts';
import { leaveWaiting, send, sendHistory, setUp, type Shop, startActivity } from './shop-history.ts';

/** MongoDB deletes expired documents by the machine's time, and the fixture must outlast the version. Times still fit in signed 32-bit seconds. */
const AHEAD_SECONDS = 10 * 365 * 86_400;
/** The version ends before it has sent everything. */
const TIMEOUT_SECONDS = 600;
const HOST = 'machine';
const withHost = `data:text/javascript,${encodeURIComponent(
  `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.hostname = () => '${HOST}'; syncBuiltinESMExports();`,
)}`;
const quiet = { set: () => undefined, stop: () => undefined };

export async function makeFixture(target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-fixture-'));
  const world = await platformProcess({
    env: {
      TIDINGS_MASTER_KEY: MASTER_KEY.toString('base64'),
      PUBLIC_URL: 'https://push.example',
      NODE_OPTIONS: `--import ${withHost}`,
    },
    simulators: { keepPayloads: true, retryAfterSeconds: TIMEOUT_SECONDS },
  });
  try {
    await world.advance(AHEAD_SECONDS);
    const { questions, expressions, waiting } = await fill(world);
    // The first list of an inbox changes the state of its entries.
    await answersOf(world.client, world.url, questions, []);
    await world.settle();
    const answers = await answersOf(world.client, world.url, questions, expressions);
    await world.settle();
    const answeredAt = new Date(world.simulators.clock.now()).toISOString();
    const { secrets: all, dataFolder } = world;
    const secrets = { api: all.api, device: all.device };
    await world.end();
    const archive = join(folder, 'archive');
    await exportData(readEnv({ TIDINGS_DATA: dataFolder, LOG_LEVEL: 'error' }), archive, quiet);
    // A shorter name is bound to occur in a key.
    const forbidden = [hostname(), userInfo().homedir, process.cwd(), tmpdir()].filter((word) => word.length > 3);
    const fixture = { version: productVersion, answeredAt, secrets, waiting, ...answers };
    await writeFixture(target, archive, fixture, forbidden);
  } finally {
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Filled {
  readonly questions: readonly Question[];
  readonly expressions: readonly string[];
  readonly waiting: readonly WaitingMessage[];
}

async function fill(world: World): Promise<Filled> {
  await addTags(world);
  const application = await shopApplication(world, 'Shop');
  const other = await shopApplication(world, 'Other shop');
  await world.call('createGroup', { name: 'Shops', applications: [application, other] });
  await world.call('setCapping', { code: other, days: 7, count: 3 });
  await world.call('setControlGroup', { code: other, percentage: 25 });
  const subscriber = await startSubscriber();
  try {
    const shop: Shop = { world, application, devices: await registerShop(world, application, 0) };
    const branch: Shop = { world, application: other, devices: await registerShop(world, other, 100) };
    const { campaign, preset } = await setUp(shop);
    const { id } = await world.call('createSubscription', {
      endpoint: subscriber.endpoint,
      applications: [application],
      campaigns: [campaign],
      events: ['Push Sent', 'Push Delivered', 'Push Opened', 'Email Bounced'],
    });
    const broadcast = await sendHistory(shop, { campaign, preset });
    await startActivity(shop, shop.devices[0]!);
    const elsewhere = await send(branch, { content: 'Hello' });
    await world.settle();
    await world.call('deleteDevice', { application, hwid: shop.devices[1]!.hwid });
    await world.call('setBadge', { application, hwid: shop.devices[2]!.hwid, badge: 5 });
    await world.settle();
    const left = { ...shop, devices: shop.devices.filter((_, i) => i !== 1) };
    const waiting = await leaveWaiting(left);
    const bounced = left.devices.find(({ platform, kind }) => platform === EMAIL && kind === 'dead')!;
    const questions = [
      ...(await questionsAbout(left, broadcast)),
      ...(await questionsAbout(branch, elsewhere)),
      ...[
        { method: 'getSubscription', parameters: { id } },
        { method: 'getPreset', parameters: { preset_code: preset } },
      ],
      { method: 'getComplaint', parameters: { address: 'angry@mail.example' } },
      ...['blocked@mail.example', bounced.hwid].map((address) => ({
        method: 'getBlacklisted',
        parameters: { address },
      })),
      ...['getApplications', 'listTags'].map((method) => ({ method, parameters: {} })),
    ] as Question[];
    return { questions, expressions: [application, other].map((code) => `A("${code}")`), waiting };
  } finally {
    subscriber.down();
  }
}

async function questionsAbout({ world, application, devices }: Shop, message: string): Promise<Question[]> {
  const about = (method: Question['method'], parameters: object = {}): Question => ({
    method,
    parameters: { application, ...parameters },
  });
  const users = [...new Set(devices.map(({ userId }) => userId))];
  const params = { with_metrics: true, with_details: true };
  const { items } = await world.call('messagesList', { filters: { application }, per_page: 50 });
  return [
    ...(
      ['getApplication', 'listFilters', 'listPresets', 'getCampaigns', 'listGeoZones', 'listTestDevices'] as const
    ).map((method) => about(method)),
    { method: 'messagesList', parameters: { filters: { application }, params, per_page: 50 } },
    ...items.flatMap(({ code: message_code }): Question[] => [
      { method: 'getDeliveryFunnel', parameters: { message_code } },
      { method: 'totalsByIntervals', parameters: { message_code } },
    ]),
    ...devices.filter((_, i) => i % 5 === 0).map(({ hwid }) => about('explain', { message, hwid })),
    ...devices.flatMap(({ hwid }) => [about('getTags', { hwid }), about('checkDevice', { hwid })]),
    ...users.map((userId) => about('getInboxMessages', { userId })),
    ...['T("Level", GTE, 4)', 'T("Interests", IN, ["news"])', 'T("Plan", EQ, "paid")'].map((expression): Question => ({
      method: 'compileFilter',
      parameters: { devices_filter: `A("${application}") * ${expression}` },
    })),
  ];
}
