import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLog, readGeoip } from '@tidings/runtime';
import { geoipFile } from '@tidings/testing';
import { Registry } from 'prom-client';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, World } from '../testing/gateway-world.ts';
import { type Geoip, openGeoip } from './geoip.ts';

const ADDRESS = '198.51.100.77';
const token = { authorization: 'Token device' };
const network = { network: '198.51.100.0/24', country: 'AT' };
const builtAt = Date.UTC(2026, 0, 15);

let folder: string;
let file: string;
let metrics: Registry;
let lines: string[];
let geoip: Geoip;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-geoip-'));
  file = join(folder, 'city.mmdb');
  metrics = new Registry();
  lines = [];
});
afterEach(async () => {
  await geoip.stop();
  await rm(folder, { recursive: true });
});

const log = () => openLog('trace', { write: (line) => void lines.push(line) });
/** Replaces the file at once, as updaters do. */
const install = async (bytes: Uint8Array): Promise<void> => {
  await writeFile(`${file}.new`, bytes);
  await rename(`${file}.new`, file);
};
const open = async (): Promise<Geoip> => (geoip = await openGeoip({ file, log: log(), metrics }));
const gauge = async (name: string): Promise<number> => {
  const [value] = (await metrics.getSingleMetric(name)!.get()).values;
  return value!.value;
};
const state = async () => ({
  built: await gauge('tidings_geoip_built_timestamp_seconds'),
  failed: await gauge('tidings_geoip_file_failed'),
});

describe('the geo-IP database of a gateway', () => {
  it('is read again when its file is replaced', async () => {
    await install(geoipFile([{ ...network, city: 'Graz' }], { builtAt }));
    await open();
    expect(geoip.find(ADDRESS)).toEqual({ country: 'AT', city: 'Graz' });
    await install(geoipFile([{ ...network, city: 'Linz' }], { builtAt: builtAt + 1000 }));
    await geoip.refresh();
    expect(geoip.find(ADDRESS)).toEqual({ country: 'AT', city: 'Linz' });
    expect(await state()).toEqual({ built: builtAt / 1000 + 1, failed: 0 });
  });

  it.each([
    ['is broken', () => install(Buffer.from('half a file'))],
    ['is missing', () => rm(file)],
  ])('stays in use while its file %s, which is logged once', async (_, harm) => {
    await install(geoipFile([{ ...network, city: 'Graz' }], { builtAt }));
    await open();
    await harm();
    await geoip.refresh();
    await geoip.refresh();
    expect(geoip.find(ADDRESS)).toEqual({ country: 'AT', city: 'Graz' });
    expect(await state()).toEqual({ built: builtAt / 1000, failed: 1 });
    expect(lines.filter((line) => line.includes('not usable'))).toHaveLength(1);
    await install(geoipFile([{ ...network, city: 'Wels' }], { builtAt }));
    await geoip.refresh();
    expect(await state()).toMatchObject({ failed: 0 });
  });

  it.each(['EACCES', 'EMFILE', 'EIO'])(
    'is read again when the fault %s has ended, which is logged once',
    async (code) => {
      await install(geoipFile([{ ...network, city: 'Graz' }], { builtAt }));
      let reads = 0;
      const read: typeof readGeoip = async (path) => {
        if (++reads < 4) throw Object.assign(new Error(`${code}: read`), { code });
        return readGeoip(path);
      };
      geoip = await openGeoip({ file, log: log(), metrics, read });
      await geoip.refresh();
      await geoip.refresh();
      expect(await state()).toEqual({ built: 0, failed: 1 });
      expect(lines.filter((line) => line.includes('not usable'))).toHaveLength(1);
      await geoip.refresh();
      expect(geoip.find(ADDRESS)).toEqual({ country: 'AT', city: 'Graz' });
      expect(await state()).toEqual({ built: builtAt / 1000, failed: 0 });
      await geoip.refresh();
      expect(reads).toBe(4);
    },
  );

  it('may be added after the start', async () => {
    await open();
    expect(geoip.find(ADDRESS)).toBeUndefined();
    expect(await state()).toEqual({ built: 0, failed: 1 });
    await install(geoipFile([network], { builtAt }));
    await geoip.refresh();
    expect(geoip.find(ADDRESS)).toEqual({ country: 'AT', city: '' });
  });
});

describe('a registration', () => {
  let client: Client;
  let world: World;
  beforeEach(async () => {
    await install(geoipFile([{ ...network, city: 'Graz' }], { builtAt }));
    world = new World();
    client = await openClient(world, { geoip: await open(), trustedProxies: ['127.0.0.0/8', '::1'], log: log() });
  });
  afterEach(() => client.close());

  const phone = { hwid: 'phone-1', device_type: 3 };
  const mail = { email: 'anna@example.com' };
  const methods: Readonly<Record<string, object>> = {
    registerDevice: phone,
    registerSmsNumber: { number: '+4915112345678' },
    registerWhatsappNumber: { number: '+4915112345678' },
    multiRegisterDevice: { push_devices: [{ hwid: 'phone-1', platform: 3 }] },
    registerEmail: mail,
    registerEmailUser: { ...mail, userId: 'anna' },
  };

  it.each(Object.entries(methods))(
    'carries the location of its address, not the address, by %s',
    async (name, input) => {
      const parameters = { application: APPLICATION, ...input };
      const reply = await client.json13(name, parameters, { ...token, 'x-forwarded-for': ADDRESS });
      expect(reply).toMatchObject({ body: { status_code: 200 } });
      const located = { country: 'AT', city: 'Graz' };
      expect(world.commands).toMatchObject([{ command: { $case: 'register', value: { located } } }]);
      expect(JSON.stringify([world.commands, world.records, lines])).not.toContain(ADDRESS);
    },
  );

  it('carries no location of an unknown address, or of a proxy', async () => {
    const forwarded: Record<string, string>[] = [{ 'x-forwarded-for': '203.0.113.1' }, {}];
    for (const headers of forwarded) {
      await client.json13('registerDevice', { application: APPLICATION, ...phone }, { ...token, ...headers });
    }
    for (const { command } of world.commands) expect(command?.value).toHaveProperty('located', undefined);
    expect(world.commands).toHaveLength(2);
  });

  it('carries no location of an address claimed by an untrusted client', async () => {
    const strict = await openClient(world, { geoip });
    const claimed = { ...token, 'x-forwarded-for': ADDRESS };
    await strict.json13('registerDevice', { application: APPLICATION, ...phone }, claimed);
    await strict.close();
    expect(world.commands[0]!.command!.value).toHaveProperty('located', undefined);
  });
});
