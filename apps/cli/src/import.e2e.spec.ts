import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { platform, type PlatformWorld } from '@tidings/testing';
import { programOf } from './program.ts';

const program = join(import.meta.dirname, '../bin/tidings.mjs');

describe('tidings import', () => {
  let world: PlatformWorld;
  let folder: string;
  beforeAll(async () => {
    world = await platform();
    folder = await mkdtemp(join(tmpdir(), 'tidings-import-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await world?.stop();
  });

  const tokens = (): string[] => ['--admin-token', world.secrets.admin, '--api-token', world.secrets.api];
  const runAt = async (url: string, ...words: string[]): Promise<string> => {
    let output = '';
    const line = ['--url', url, ...tokens(), ...words];
    await programOf((written) => (output += written)).parseAsync(line, { from: 'user' });
    return output.trimEnd();
  };
  const run = (...words: string[]): Promise<string> => runAt(world.url, ...words);
  const json = async (...words: string[]): Promise<Record<string, unknown>> =>
    JSON.parse(await run('--json', 'import', ...words)) as Record<string, unknown>;
  const fileOf = async (name: string, content: string | Buffer): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  const tagsOf = async (application: string, hwid: string) =>
    (await world.call('getTags', { application, hwid })).result;
  const isThere = async (application: string, hwid: string) => world.call('checkDevice', { application, hwid });

  const heading = 'id,identifier,device_type,language,tags,invalid_identifier,external_user_id,web_auth,web_p256,note';
  const rows = [
    'a,token-a,1,en_GB,"{""Points"":""5"",""Plan"":""gold""}",f,user-a,,,x',
    'b,token-b,1,de,"{""Points"":""7""}",t,,,,',
    'c,https://push.example/c,5,,,f,,tBHI,BNcRd_9w,',
    'd,https://push.example/d,5,,,f,,,,',
    ',Anna@example.com,11,fr,,f,user-a,,,',
    ',bob@example.com,11,,,t,,,,',
    ',no address,11,,,f,,,,',
    'e,token-e,1',
  ];

  it('registers what a file has, says what it leaves out, and changes nothing when it is repeated', async () => {
    const app = await world.application({ title: 'Imported' });
    const path = await fileOf('onesignal.csv.gz', gzipSync([heading, ...rows].join('\n')));
    const own = [path, '--from', 'onesignal', '--app', app];

    expect(await json(...own, '--dry-run')).toEqual({
      file: path,
      rows: 8,
      platforms: { android: 2, chrome: 1, email: 3 },
      without_token: 1,
      unsubscribed: 1,
      blacklisted: 0,
      browsers: { chrome: 1 },
      skipped: [
        { reason: 'a browser without the keys of its subscription', rows: 1, first_line: 5 },
        { reason: 'the row has 3 values for 10 columns', rows: 1, first_line: 9 },
      ],
      missing_tags: [
        { name: 'Plan', type: 2, type_name: 'string' },
        { name: 'Points', type: 1, type_name: 'integer' },
      ],
      unknown_columns: ['note'],
    });
    expect(await isThere(app, 'onesignal:a')).toMatchObject({ exist: false });
    await expect(run('import', ...own)).rejects.toThrow(
      'has tags that the account lacks: Plan (string), Points (integer)',
    );

    const counts = { rows: 8, registered: 4, unsubscribed: 1, blacklisted: 0, skipped: 2, failed: 1 };
    const first = await json(...own, '--create-tags');
    expect(first).toMatchObject({ ...counts, imported_rows: 8, failed_rows: `${path}.failed.csv` });
    await world.settle();
    expect(await tagsOf(app, 'onesignal:a')).toMatchObject({ Points: 5, Plan: 'gold', Language: 'en' });
    expect(await isThere(app, 'onesignal:b')).toMatchObject({ exist: true, push_token_exist: false });
    expect(await isThere(app, 'onesignal:c')).toMatchObject({ exist: true, push_token_exist: true });
    expect(await tagsOf(app, 'bob@example.com')).toMatchObject({ 'Unsubscribed Emails': true });
    expect((await world.call('getTags', { application: app, userId: 'user-a' })).result).toMatchObject({ Points: 5 });
    expect((await readFile(`${path}.failed.csv`, 'utf8')).split('\r\n')).toEqual([
      `${heading},reason`,
      'd,https://push.example/d,5,,,f,,,,,a browser without the keys of its subscription',
      ',no address,11,,,f,,,,,Email address is invalid or has invalid semantic',
      'e,token-e,1,,,,,,,,the row has 3 values for 10 columns',
      '',
    ]);

    await world.call('setTags', { application: app, hwid: 'onesignal:a', tags: { Points: 6 } });
    expect(await json(...own)).toMatchObject({ ...counts, imported_rows: 0, seconds: null });
    expect(await tagsOf(app, 'onesignal:a')).toMatchObject({ Points: 6 });
    expect(await json(...own, '--again')).toMatchObject({ ...counts, imported_rows: 8 });
    expect(await tagsOf(app, 'onesignal:a')).toMatchObject({ Points: 5 });
  });

  it('lets the tags of imported devices follow their push tokens', async () => {
    const app = await world.application({ title: 'Adopted' });
    const path = await fileOf('adopted.csv', 'id,identifier,device_type,country\na,Token-Of-A,1,FR\n');
    expect(await json(path, '--from', 'onesignal', '--app', app, '--adopt-by-token')).toMatchObject({ registered: 1 });
    await world.call('registerDevice', {
      application: app,
      hwid: 'of the app',
      device_type: 3,
      push_token: 'Token-Of-A',
    });
    await world.settle();
    expect(await isThere(app, 'onesignal:a')).toMatchObject({ push_token_exist: false });
    expect(await tagsOf(app, 'of the app')).toMatchObject({ Country: 'FR' });
  });

  it('blacklists addresses that are invalid', async () => {
    const app = await world.application({ title: 'Endpoints' });
    const lines = [
      { ChannelType: 'EMAIL', Address: 'gone@example.com', Id: '1', EndpointStatus: 'INACTIVE' },
      { ChannelType: 'GCM', Address: 'token-1', Id: '2', Metrics: { Visits: 3 } },
    ];
    const path = await fileOf('endpoints.json', lines.map((line) => JSON.stringify(line)).join('\n'));
    const own = [path, '--from', 'pinpoint', '--app', app];
    expect(await json(...own, '--ignore-tags')).toMatchObject({ registered: 1, blacklisted: 1, failed_rows: null });
    expect(await world.call('getBlacklisted', { address: 'gone@example.com' })).toHaveProperty('blacklisted_at');
    expect(await tagsOf(app, 'pinpoint:2')).not.toHaveProperty('Visits');
  });

  /** Forwards to the gateway, but leaves the jobs after the first one without an answer until it is released. */
  async function stallingGateway() {
    let jobs = 0;
    let isReleased = false;
    const server = createServer((incoming, outgoing) => {
      const isJob = incoming.method === 'POST' && incoming.url?.endsWith('/bulkRegisterDevice');
      if (isJob && jobs++ > 0 && !isReleased) return;
      const { method, headers, url } = incoming;
      const forwarded = request(new URL(url!, world.url), { method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, server, release: () => (isReleased = true) };
  }

  it('resumes after a kill at the first batch that is not finished', async () => {
    const app = await world.application({ title: 'Killed' });
    const devices = Array.from({ length: 7 }, (_, i) => (i === 0 ? ',t,3' : `h-${i},t-${i},3`));
    const path = await fileOf('table.csv', ['hwid,push_token,platform', ...devices].join('\n'));
    const own = [path, '--from', 'csv', '--app', app, '--batch', '2'];
    const { url, server, release } = await stallingGateway();
    try {
      const recorded = new Promise<void>((resolve) => {
        const watcher = watch(folder, (_, name) => {
          if (!name?.endsWith('.import.json')) return;
          watcher.close();
          resolve();
        });
      });
      const child = spawn(process.execPath, [program, '--url', url, ...tokens(), 'import', ...own], {
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      const ended = once(child, 'exit');
      const output = text(child.stderr);
      const first = await Promise.race([recorded, ended.then(() => output)]);
      expect(first).toBeUndefined();
      process.kill(-child.pid!, 'SIGKILL');
      await ended;

      const state = JSON.parse(await readFile(`${path}.import.json`, 'utf8')) as object;
      expect(state).toMatchObject({ rows: 2, counts: { registered: 1, skipped: 1 } });
      release();
      const other = runAt(url, 'import', ...own, '--ignore-tags');
      await expect(other).rejects.toThrow('was being imported with other options');
      const resumed = JSON.parse(await runAt(url, '--json', 'import', ...own)) as object;
      expect(resumed).toMatchObject({ rows: 7, imported_rows: 5, registered: 6, skipped: 1, failed: 0 });
    } finally {
      server.closeAllConnections();
      server.close();
    }
    await world.settle();
    for (let i = 1; i < 7; i++) expect(await isThere(app, `h-${i}`)).toMatchObject({ push_token_exist: true });
    expect((await readFile(`${path}.failed.csv`, 'utf8')).split('\r\n')).toEqual([
      'hwid,push_token,platform,reason',
      ',t,3,no identifier of the device',
      '',
    ]);
  });
});
