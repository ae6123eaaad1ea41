import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { platform, type StoredWorld } from '@tidings/testing';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));
const generator = join(modules, '@hey-api/openapi-ts/bin/run.js');
const compiler = join(modules, 'typescript/bin/tsc');

/** In strict mode: `response` is defined after a check of `status_code`. */
const program = `
import { client } from './client/client.gen.js';
import { createMessage, registerDevice } from './client/index.js';

declare const process: { readonly argv: readonly string[] };
const [, , baseUrl, apiToken, deviceToken, application] = process.argv as [string, string, string, string, string, string];
client.setConfig({ baseUrl, auth: ({ key }) => (key === 'device' ? 'Token ' + deviceToken : 'Api ' + apiToken) });

const { data: registered } = await registerDevice({
  body: { request: { application, hwid: 'phone-1', device_type: 3, push_token: 'token-1', language: 'en' } },
  throwOnError: true,
});
const send = async (devices: string[]) => {
  const notifications = [{ content: { en: 'Hello' }, devices }];
  return (await createMessage({ body: { request: { application, notifications } }, throwOnError: true })).data;
};
const sent = await send(['phone-1']);
const refused = await send([]);

const codes: string[] = sent.status_code === 200 ? sent.response.Messages : [];
const reason: string | undefined = refused.status_code === 210 ? refused.status_message : undefined;
const noCodes: 210 | undefined = refused.status_code === 210 ? refused.status_code : undefined;
console.log(JSON.stringify({ registered, codes, noCodes, reason }));
`;

const settings = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'out',
  },
  files: ['program.ts'],
};

let world: StoredWorld;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-client-'));
  world = await platform();
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a client generated from /openapi.json', () => {
  it('registers a device, sends it a message, and reads a refusal as data', async () => {
    const file = (name: string, content: unknown) =>
      writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    await file('openapi.json', await (await fetch(`${world.url}/openapi.json`)).json());
    await file('package.json', { type: 'module' });
    await file('tsconfig.json', settings);
    await file('program.ts', program);
    const node = (...args: string[]) => run(process.execPath, args, { cwd: folder });
    await node(generator, '-i', 'openapi.json', '-o', 'client', '-s');
    await node(compiler, '-p', '.');

    const application = await world.application();
    const { api, device } = world.secrets;
    const { stdout } = await node('out/program.js', world.url, api, device, application);
    expect(JSON.parse(stdout)).toEqual({
      registered: { status_code: 200, status_message: 'OK', response: null },
      codes: ['CODE_NOT_AVAILABLE'],
      noCodes: 210,
      reason: 'notifications[0].devices: must not be empty',
    });
    await world.settle();
    expect(world.simulators.ledger.summary().fcm.accepted).toBe(1);
  });
});
