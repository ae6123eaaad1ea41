import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { fcmToken, startHttpSubscriber } from '@tidings/simulators';
import { platform, type PlatformWorld } from '@tidings/testing';
import { programOf } from './program.ts';

const ANDROID = 3;

describe('the command line', () => {
  let world: PlatformWorld;
  let application: string;
  beforeAll(async () => {
    world = await platform();
    application = await world.application({ title: 'Shop' });
    await world.registerDevices(application, 12, (i) => ({
      hwid: `phone-${i}`,
      device_type: ANDROID,
      push_token: fcmToken(i === 0 ? 'dead' : 'accepted', i),
    }));
  });
  afterAll(() => world?.stop());

  const run = async (...words: string[]): Promise<string> => {
    let output = '';
    const { admin, api } = world.secrets;
    const tokens = ['--admin-token', admin, '--api-token', api];
    const program = programOf((text) => (output += text));
    await program.parseAsync(['--url', world.url, ...tokens, ...words], { from: 'user' });
    return output.trimEnd();
  };
  const json = async <T>(...words: string[]): Promise<T> => JSON.parse(await run('--json', ...words)) as T;

  it('creates, lists and revokes tokens', async () => {
    const token = await run('tokens', 'create', 'device', '--app', application);
    await world.call('checkDevice', { application, hwid: 'phone-1' });
    const listed = await json<{ id: string; applications: string[] }[]>('tokens', 'list');
    const [own] = listed.filter(({ applications }) => applications.includes(application));
    expect(token).not.toContain(own!.id);
    expect(await run('tokens', 'revoke', own!.id)).toBe(`Revoked ${own!.id}`);
    expect(await run('tokens', 'list')).not.toContain(own!.id);
    await expect(run('tokens', 'revoke', own!.id)).rejects.toThrow('404');
  });

  it('creates, lists, shows and deletes applications', async () => {
    const code = await run('apps', 'create', 'Another');
    expect(await json('apps', 'list')).toMatchObject({ [code]: 'Another', [application]: 'Shop' });
    expect(await run('apps', 'show', application)).toMatch(/title +Shop\nconfigured +.*android/);
    expect(await run('apps', 'settings', code)).toMatch(/debug mode +off\n/);
    expect(await run('accounts', 'list')).toContain('all devices');
    for (const list of ['groups', 'jobs', 'suppressions'])
      expect(await json(list, 'list')).toMatchObject({ next: null });
    expect(await run('apps', 'debug', code)).toContain('is on until');
    expect(await run('apps', 'settings', code)).toMatch(/debug mode +\S+Z \*\n/);
    expect(await run('apps', 'debug', code, '--off')).toBe('Debug mode is off');
    expect(await run('apps', 'delete', code)).toBe(`Deleted ${code}`);
  });

  it('configures a platform, and names what is missing', async () => {
    const code = await run('apps', 'create', 'Configured');
    const configure = ['apps', 'configure', code, 'windows'];
    expect(await run(...configure)).toMatch(/^setting +meaning\npsid +required +Package security identifier/);
    await expect(run(...configure, '--set', 'psid=ms-app://s-1-15-2')).rejects.toThrow('windows needs --set secret=…');
    await run(...configure, '--set', 'psid=ms-app://s-1-15-2', 'secret=s');
    expect(await run('apps', 'show', code)).toMatch(/configured +wns/);
    await run('apps', 'delete', code);
  });

  it('says that a message addresses nobody, and why a platform gets nothing', async () => {
    const messages: string[] = [];
    const written = jest.spyOn(process.stderr, 'write').mockImplementation((text) => messages.push(String(text)) > 0);
    try {
      await run('send', application, 'Hello', '--to', 'nobody', '--wait');
    } finally {
      written.mockRestore();
    }
    expect(messages.join('')).toContain('Nobody was addressed');
    const code = await run('apps', 'create', 'Disabled');
    await world.registerDevices(code, 12, (i) => ({ hwid: `w-${i}`, device_type: 8, push_token: `ms-app-${i}` }));
    expect(await run('send', code, 'Hello', '--wait')).toContain(
      'PLATFORM_DISABLED: 0 platform_disabled (platform 8) The platform of the device is disabled',
    );
    await run('apps', 'delete', code);
  });

  it('asks whether Tidings runs if it does not answer', async () => {
    const program = programOf(() => undefined);
    const words = ['--url', 'http://127.0.0.1:1', '--api-token', 'x', 'apps', 'list'];
    await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow(
      'No connection (ECONNREFUSED): is Tidings running at http://127.0.0.1:1? Otherwise set TIDINGS_URL',
    );
  });

  it('sends a message, waits until every device is decided, and explains each device', async () => {
    const sent = ['send', application, 'Hello', '--wait'];
    const { message, funnel } = await json<{ message: string; funnel: { channels: object } }>(...sent);
    const { channels } = await world.call('getDeliveryFunnel', { message_code: message });
    expect(funnel.channels).toEqual(channels);
    const shown = await run('funnel', message);
    expect(shown).toMatch(/MOBILE_PUSH +12 +11 +1 /);
    expect(shown).toContain('1 × INVALID_TOKEN');
    expect(await run('explain', application, message, 'phone-0')).toContain('INVALID_TOKEN');
    expect(await run('explain', application, message, 'phone-1')).toMatch(/answer +SENT/);
    expect(await run('devices', 'find', application, '--hwid', 'phone-1')).toMatch(/push token +set at 20/);
    expect(await run('devices', 'count', application, `A("${application}")`)).toBe('12');
    const named = await json<object>('send', application, 'Hello', '--to', 'phone-1', 'nobody');
    expect(named).toEqual({ message: 'CODE_NOT_AVAILABLE', unknown: ['nobody'] });
  });

  it('exports the events of an application as a subscription in the format json has them', async () => {
    await world.settle();
    const receiver = await startHttpSubscriber();
    const folder = await mkdtemp(join(tmpdir(), 'tidings-events-'));
    try {
      const created = ['subscriptions', 'create', receiver.endpoint, '--format', 'json', '--event', 'Push Sent'];
      const [id] = (await run(...created)).split('\n');
      expect(await run('subscriptions', 'list')).toMatch(/http:\S+ +json +enabled/);
      await world.registerDevices(application, 1, () => ({
        hwid: 'phone-gone',
        device_type: ANDROID,
        push_token: fcmToken('dead', 99),
      }));
      const since = new Date(world.simulators.clock.now() - 60_000).toISOString();
      await run('send', application, 'For export', '--wait');
      await world.settle();
      const posted = receiver.posts.flatMap(({ events }) => events.map(({ data }) => data as { readonly id: string }));
      expect(posted).toHaveLength(11);
      const byId = (events: readonly { readonly id: string }[]) => new Map(events.map((event) => [event.id, event]));
      const exported = ['events', 'export', '--app', application, '--since', since];
      const events = (await run(...exported))
        .split('\n')
        .map((line) => JSON.parse(line) as { id: string; event: string });
      expect(byId(events.filter(({ event }) => event === 'push_sent'))).toEqual(byId(posted));
      expect(events.map(({ event }) => event)).toContain('push_failed');

      const out = join(folder, 'events.ndjson');
      expect(await run(...exported, '--out', out)).toBe(`${events.length} events in ${out}`);
      expect(
        (await readFile(out, 'utf8'))
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as object),
      ).toEqual(events);
      const parquet = join(folder, 'events.parquet');
      await run(...exported, '--format', 'parquet', '--out', parquet);
      expect((await readFile(parquet)).subarray(0, 4).toString()).toBe('PAR1');
      expect(await run(...exported, '--until', since)).toBe('');
      await expect(run(...exported, '--format', 'parquet')).rejects.toThrow('--format parquet needs --out');
      await expect(run(...exported, '--until', 'tomorrow', '--out', out)).rejects.toThrow('until: must be a time');
      await expect(run('events', 'export', '--app', 'NONE', '--since', since)).rejects.toThrow('not found (404)');
      expect((await readdir(folder)).toSorted()).toEqual(['events.ndjson', 'events.parquet']);
      await run('subscriptions', 'delete', id!);
    } finally {
      receiver.down();
      await rm(folder, { recursive: true });
    }
  });

  it('prints the records of a topic, from the oldest one', async () => {
    const lines = (await run('tap', 'tidings.messages', '--from', 'earliest', '--limit', '2')).split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^\S+Z \d\/\d+ [\w-]+ \{.*"event":\{"\w+":/);
    await expect(run('tap', 'tidings.fanout')).rejects.toThrow('There is no public topic of this name');
  });

  it('creates, lists, disables and deletes subscriptions', async () => {
    const create = ['subscriptions', 'create'];
    const [id, secret] = (await run(...create, 'https://events.example', '--event', 'Push Sent')).split('\n');
    expect(secret).toMatch(/^whsec_/);
    expect(await run('subscriptions', 'rotate-secret', id!)).toMatch(/^whsec_/);
    const dialled = await run(...create, 'dial-in', '--event', 'Push Sent', 'Push Opened', '--platform', 'ANDROID');
    expect(await run('subscriptions', 'disable', id!)).toBe(`${id} is disabled`);
    const listed = await json<{ id: string }[]>('subscriptions', 'list');
    expect(listed.filter((each) => [id, dialled].includes(each.id))).toMatchObject([
      { endpoint: 'https://events.example', enabled: false },
      { endpoint: '', events: ['Push Sent', 'Push Opened'], platforms: ['ANDROID'], enabled: true },
    ]);
    for (const each of [id!, dialled]) await run('subscriptions', 'delete', each);
    expect(await run('subscriptions', 'list')).not.toContain(id);
  });

  it('rebuilds figures from their topics', async () => {
    const replay = await json<{ state: string; handled: number; total: number }>('replay', 'statistics');
    expect(replay).toMatchObject({ state: 'done', handled: replay.total });
    expect(await run('replay', 'status')).toMatch(/projection +statistics\nstate +done/);
    await expect(run('replay', 'statistics', '--cancel')).rejects.toThrow('No replay of statistics is running');
  });

  it('reports the state of the system, and finds nothing wrong with it but its local address', async () => {
    await world.settle();
    expect(await json('status')).toMatchObject({ ready: true, dead_letters: 0, open: [] });
    expect(await run('dead-letters', 'list')).toBe('No dead letters');
    expect(await run('redrive')).toBe('Redriven: 0');
    const checked = await json<{ findings: { severity: string; text: string }[] }[]>('doctor');
    // A deleted application's data is removed in the background.
    const findings = checked.flatMap((each) => each.findings).filter(({ text }) => !text.includes('is being removed'));
    expect(findings).toMatchObject([
      { severity: 'warning', text: expect.stringContaining('no other machine reaches') },
    ]);
  });
});
