import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiClient } from '@tidings/client';
import { readEnv } from '@tidings/runtime';
import { fcmToken, type LedgerEntry } from '@tidings/simulators';
import {
  cluster,
  type ClusterWorld,
  databasesAt,
  describeWithMongo,
  platformProcess,
  type ProcessWorld,
  pushesOf,
  unzipped,
  untilSettled,
} from '@tidings/testing';
import type { Manifest } from './archive.ts';
import { exportData } from './export-data.ts';
import { importData } from './import-data.ts';

const ANDROID = 3;
const DEVICES = 40;
const DEAD = 3;
const OPENS = 9;
const SOON_SECONDS = 600;
const quiet = { set: () => undefined, stop: () => undefined };

const sentIn = (source: ProcessWorld, message: string) => pushesOf(source.simulators, 'fcm', message);

async function answersOf(
  client: ApiClient,
  url: string,
  { application, message }: Record<'application' | 'message', string>,
) {
  const { task_id: id } = await client.call('exportSegment', { filterExpression: `A("${application}")` });
  await untilSettled(client);
  const { filename } = await client.call('getExportSegment', { task_id: id });
  const { pathname, search } = new URL(filename);
  const { text } = await unzipped(Buffer.from(await (await fetch(new URL(pathname + search, url))).arrayBuffer()));
  const params = { with_metrics: true, with_details: true };
  return {
    devices: text.split('\r\n').toSorted(),
    funnel: (await client.call('getDeliveryFunnel', { message_code: message })).channels,
    listed: await client.call('messagesList', { filters: { application, messages_codes: [message] }, params }),
    explained: await client.call('explain', { application, message, hwid: 'phone-1' }),
  };
}

/** As if the export had taken a neighbour's databases as well. */
async function addNeighbour(archive: string): Promise<void> {
  const [own, foreign] = ['databases/registry/devices.bson.gz', 'databases/staging_registry/devices.bson.gz'];
  await cp(join(archive, own), join(archive, foreign));
  const path = join(archive, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  const files = { ...manifest.files, [foreign]: manifest.files[own]! };
  await writeFile(path, JSON.stringify({ ...manifest, files }));
}

describeWithMongo('the data of an embedded deployment', (mongo) => {
  let source: ProcessWorld;
  let folder: string;
  let archive: string;
  let application: string;
  let message: string;
  let scheduled: string;
  let before: Awaited<ReturnType<typeof answersOf>>;
  let manifest: Manifest;
  let target: ClusterWorld | undefined;

  const send = async (fields: object = {}): Promise<string> =>
    (await source.call('createMessage', { application, notifications: [{ content: 'Hello', ...fields }] }))
      .Messages[0]!;
  const exportTo = (to: string, variables: Record<string, string> = { TIDINGS_DATA: source.dataFolder }) =>
    exportData(readEnv({ ...variables, LOG_LEVEL: 'error' }), to, quiet);
  const importFrom = (from: string, variables: Record<string, string>) =>
    importData(readEnv({ ...variables, LOG_LEVEL: 'error' }), from, quiet);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-archive-'));
    archive = join(folder, 'archive');
    source = await platformProcess({ simulators: { keepPayloads: true } });
    application = await source.application({ ios: false });
    await source.registerDevices(application, DEVICES, (i) => ({
      hwid: `phone-${i}`,
      device_type: ANDROID,
      push_token: fcmToken(i < DEAD ? 'dead' : 'accepted', i),
      language: i % 2 === 0 ? 'en' : 'de',
    }));
    message = await send();
    await source.settle();
    for (let i = DEAD; i < DEAD + OPENS; i++) {
      const [{ hash }] = source.simulators.ledger.of('fcm').entries({ token: fcmToken('accepted', i) }) as [
        LedgerEntry,
      ];
      await source.call('pushStat', { application, hwid: `phone-${i}`, hash });
    }
    const sendDate = new Date(Date.now() + SOON_SECONDS * 1000);
    scheduled = await send({ send_date: sendDate.toISOString().slice(0, 16).replace('T', ' ') });
    await source.settle();
    before = await answersOf(source.client, source.url, { application, message });
    await expect(exportTo(archive)).rejects.toThrow('is in use by process');
    expect(await source.end()).toBe(0);
    manifest = await exportTo(archive);
  });
  afterAll(async () => {
    await target?.stop();
    await source?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is exported without the master key, into a new folder only', async () => {
    expect(manifest.masterKeys).toHaveLength(1);
    const key = (await readFile(join(source.dataFolder, 'master-key'), 'utf8')).trim();
    expect(await readFile(join(archive, 'manifest.json'), 'utf8')).not.toContain(key);
    expect(Object.keys(manifest.files)).toEqual(
      expect.arrayContaining([
        'collections.bson.gz',
        'databases/registry/devices.bson.gz',
        'databases/system/masterKey.bson.gz',
      ]),
    );
    await expect(exportTo(archive)).rejects.toThrow('is not empty');
  });

  it('is identical after an import into another embedded deployment beside a third one', async () => {
    const variables = { MONGO_URL: databasesAt(mongo) };
    const neighbour = mongo.database('staging_registry').collection('devices');
    await neighbour.insertOne({ hwid: 'phone-1' });
    await importFrom(archive, variables);
    const devices = await mongo.database('registry').collection('devices').indexes();
    expect(devices.length).toBeGreaterThan(1);
    const again = await exportTo(join(folder, 'again'), variables);
    expect({ ...again, exportedAt: '' }).toEqual({ ...manifest, exportedAt: '' });
    expect(await neighbour.countDocuments()).toBe(1);
    await expect(importFrom(archive, variables)).rejects.toThrow(
      /holds data: an archive is imported into empty databases/,
    );
  });

  it.each([
    [
      'a file is damaged',
      (copy: string) => appendFile(join(copy, 'databases/registry/devices.bson.gz'), 'x'),
      'damaged',
    ],
    [
      'a file is missing',
      (copy: string) => rm(join(copy, 'databases/registry/devices.bson.gz')),
      'cannot be read: ENOENT',
    ],
    ['it has a database of another deployment', addNeighbour, 'does not know: staging_registry'],
    ['the export was interrupted', (copy: string) => rm(join(copy, 'manifest.json')), 'no complete archive'],
  ])('is not imported when %s', async (_what, damage, text) => {
    const copy = join(folder, 'copy');
    await cp(archive, copy, { recursive: true });
    await damage(copy);
    const variables = { MONGO_URL: databasesAt({ ...mongo, prefix: `${mongo.prefix}_other` }) };
    await expect(importFrom(copy, variables)).rejects.toThrow(text);
    await expect(exportTo(join(folder, 'nothing'), variables)).rejects.toThrow('There is no data to export');
    await Promise.all([rm(copy, { recursive: true }), rm(join(folder, 'nothing'), { recursive: true })]);
  });

  it('continues in a distributed deployment with the same answers, and nothing is sent twice', async () => {
    const key = Buffer.from((await readFile(join(source.dataFolder, 'master-key'), 'utf8')).trim(), 'base64');
    const sent = sentIn(source, message).length;
    target = await cluster({
      replicas: 1,
      masterKey: key,
      env: { FCM_URL: source.simulators.urlOf('fcm') },
      async fill(stores) {
        await expect(importFrom(archive, stores)).rejects.toThrow('TIDINGS_MASTER_KEY is required');
        const other = { ...stores, TIDINGS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
        await expect(importFrom(archive, other)).rejects.toThrow('the data was written with the master key');
        await importFrom(archive, { ...stores, TIDINGS_MASTER_KEY: key.toString('base64') });
      },
    });
    const client = new ApiClient(target.urls, { ...source.secrets, admin: target.secrets.admin }, 4);
    try {
      await untilSettled(client);
      expect(await answersOf(client, target.url, { application, message })).toEqual(before);
      expect(sentIn(source, message)).toHaveLength(sent);
      source.simulators.clock.advance(2 * SOON_SECONDS * 1000);
      await target.advance(2 * SOON_SECONDS);
      await untilSettled(client);
      expect(sentIn(source, scheduled)).toHaveLength(DEVICES - DEAD);
    } finally {
      client.close();
    }
  });
});
