import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhere, platform, type StoredWorld } from '@tidings/testing';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));
const generator = join(modules, '@hey-api/openapi-ts/bin/run.js');
const compiler = join(modules, 'typescript/bin/tsc');

/** In strict mode: `response` is defined after a check of `status_code`. */
const typescriptProgram = `
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

/** The same for both module systems. */
const packageProgram = `
const [, , url, apiToken, deviceToken, application] = process.argv as [string, string, string, string, string, string];
async function main(): Promise<void> {
  const client = new TidingsClient({ url, apiToken, deviceToken });
  const registered: undefined | null = await client.call('registerDevice', {
    application, hwid: 'phone-4', device_type: 3, push_token: 'token-4', language: 'en',
  });
  const send = (devices: string[]) =>
    client.call('createMessage', { application, notifications: [{ content: { en: 'Hello' }, devices }] });
  const { Messages: codes } = await send(['phone-4']);
  const refused = await send([]).catch((error: unknown) => (error as Refusal).reply.body);
  // @ts-expect-error there is no such field
  const wrong = () => client.call('createMessage', { application, notifications: [{ contents: 'Hello' }] });
  console.log(JSON.stringify({ registered, codes, refused, wrong: typeof wrong }));
  client.close();
}
void main();
`;

const goModule = `module example.com/client

go 1.25

require github.com/oapi-codegen/runtime v1.9.0
`;

/** The parameters of all programs: address, API token, device token, application. */
const goProgram = `package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"example.com/client/tidings"
)

func authorization(value string) tidings.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", value)
		return nil
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	url, api, device, application := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx := context.Background()
	client, err := tidings.NewClientWithResponses(url)
	must(err)

	hwid, token, language := "phone-2", "token-2", "en"
	registered, err := client.RegisterDeviceWithResponse(ctx, tidings.RegisterDeviceBody{
		Request: tidings.RegisterDeviceRequest{Application: application, Hwid: &hwid, DeviceType: 3, PushToken: &token, Language: &language},
	}, authorization("Token "+device))
	must(err)

	send := func(devices []string) *tidings.CreateMessageResponse {
		var content tidings.CreateMessageNotification_Content
		must(content.FromCreateMessageNotificationContent0("Hello"))
		sent, err := client.CreateMessageWithResponse(ctx, tidings.CreateMessageBody{
			Request: tidings.CreateMessageRequest{
				Application:   &application,
				Notifications: []tidings.CreateMessageNotification{{Content: &content, Devices: &devices}},
			},
		}, authorization("Api "+api))
		must(err)
		return sent
	}
	sent, refused := send([]string{"phone-2"}), send([]string{})
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"registered": registered.JSON200.StatusCode,
		"codes":      sent.JSON200.Response.Messages,
		"noCodes":    refused.JSON200.StatusCode,
		"reason":     refused.JSON200.StatusMessage,
	}))
}
`;

const pythonProgram = `import json
import sys

from client import AuthenticatedClient
from client.api.devices import register_device
from client.api.messages import create_message
from client.models import (
    CreateMessageBody,
    CreateMessageNotification,
    CreateMessageRequest,
    RegisterDeviceBody,
    RegisterDeviceRequest,
)

url, api, device, application = sys.argv[1:]
apps = AuthenticatedClient(base_url=url, prefix="Token", token=device)
backend = AuthenticatedClient(base_url=url, prefix="Api", token=api)

registered = register_device.sync(
    client=apps,
    body=RegisterDeviceBody(
        RegisterDeviceRequest(
            application=application, hwid="phone-3", device_type=3, push_token="token-3", language="en"
        )
    ),
)


def send(devices):
    notification = CreateMessageNotification(content="Hello", devices=devices)
    request = CreateMessageRequest(application=application, notifications=[notification])
    return create_message.sync(client=backend, body=CreateMessageBody(request))


sent, refused = send(["phone-3"]), send([])
print(
    json.dumps(
        {
            "registered": registered.status_code,
            "codes": sent.response.messages,
            "noCodes": refused.status_code,
            "reason": refused.status_message,
        }
    )
)
`;

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const PYTHON_PACKAGES = ['openapi-python-client==0.29.1'];
const INSTALL_TIMEOUT_MS = 5 * 60_000;

const runs = (program: string, argument: string): boolean =>
  spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
const goFolder = ['', '/usr/local/go/bin'].find((folder) => runs(join(folder, 'go'), 'version'));
const go = join(goFolder ?? '', 'go');

let world: StoredWorld;
let folder: string;
let parameters: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-client-'));
  world = await platform();
  const { api, device } = world.secrets;
  parameters = [world.url, api, device, await world.application()];
  for (const name of ['openapi', 'openapi-strict']) {
    await file(`${name}.json`, await (await fetch(`${world.url}/${name}.json`)).json());
  }
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

const file = (name: string, content: unknown) =>
  writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

const answers = {
  registered: 200,
  codes: ['CODE_NOT_AVAILABLE'],
  noCodes: 210,
  reason: 'notifications[0].devices: must not be empty',
};

let accepted = 0;

async function expectPush(): Promise<void> {
  await world.settle();
  const before = accepted;
  accepted = world.simulators.ledger.summary().fcm.accepted;
  expect(accepted - before).toBe(1);
}

describe('a client generated from /openapi.json', () => {
  it('registers a device, sends it a message, and reads a refusal as data', async () => {
    await file('package.json', { type: 'module' });
    await file('tsconfig.json', settings);
    await file('program.ts', typescriptProgram);
    const node = (...args: string[]) => run(process.execPath, args, { cwd: folder });
    await node(generator, '-i', 'openapi.json', '-o', 'client', '-s');
    await node(compiler, '-p', '.');
    const { stdout } = await node('out/program.js', ...parameters);
    const registered = { status_code: 200, status_message: 'OK', response: null };
    expect(JSON.parse(stdout)).toEqual({ ...answers, registered });
    await expectPush();
  });
});

describe('the npm package @tidings/client', () => {
  const tool = fileURLToPath(new URL('../../../../tools/client-package.mjs', import.meta.url));

  beforeAll(async () => {
    const target = join(folder, 'backend', 'node_modules', '@tidings', 'client');
    await run(process.execPath, [tool, target]);
    const { compilerOptions } = settings;
    await file('backend/tsconfig.json', {
      compilerOptions: { ...compilerOptions, types: ['node'], typeRoots: [join(modules, '@types')] },
      files: ['program.mts', 'program.cts'],
    });
    const imported = "import { type Refusal, TidingsClient } from '@tidings/client';";
    for (const name of ['program.mts', 'program.cts']) await file(`backend/${name}`, `${imported}${packageProgram}`);
    await run(process.execPath, [compiler, '-p', '.'], { cwd: join(folder, 'backend') });
  });

  it.each(['program.mjs', 'program.cjs'])('registers a device and sends it a message, in %s', async (program) => {
    const { stdout } = await run(process.execPath, [join(folder, 'backend', 'out', program), ...parameters]);
    expect(JSON.parse(stdout)).toMatchObject({
      registered: null,
      codes: answers.codes,
      refused: { status_code: 210, status_message: answers.reason },
    });
    await expectPush();
  });
});

describeWhere(goFolder !== undefined)('a client in Go, generated from /openapi-strict.json', () => {
  it(
    'does the same, with a type for each object',
    async () => {
      await mkdir(join(folder, 'go', 'tidings'), { recursive: true });
      await file('go/go.mod', goModule);
      await file('go/main.go', goProgram);
      const env = { ...process.env, GOFLAGS: '-mod=mod' };
      const within = { cwd: join(folder, 'go'), env, maxBuffer: 1 << 26 };
      const source = ['-package', 'tidings', '-generate', 'types,client', '-o', 'tidings/client.go'];
      await run(go, ['run', OAPI_CODEGEN, ...source, '../openapi-strict.json'], within);
      const { stdout } = await run(go, ['run', '.', ...parameters], within);
      expect(JSON.parse(stdout)).toEqual(answers);
      await expectPush();
    },
    INSTALL_TIMEOUT_MS,
  );
});

describeWhere(runs('python3', '--version'))('a client in Python, generated from /openapi-strict.json', () => {
  it(
    'does the same, with a class for each object',
    async () => {
      const environment = join(folder, 'python');
      const python = (program: string, ...args: string[]) =>
        run(join(environment, 'bin', program), args, {
          cwd: folder,
          env: { ...process.env, PATH: [join(environment, 'bin'), process.env['PATH']].join(delimiter) },
          maxBuffer: 1 << 26,
        });
      await run('python3', ['-m', 'venv', environment]);
      await python('pip', 'install', '--quiet', '--disable-pip-version-check', ...PYTHON_PACKAGES);
      const source = ['--path', 'openapi-strict.json', '--meta', 'none', '--output-path', 'client_python/client'];
      await mkdir(join(folder, 'client_python'));
      await python('openapi-python-client', 'generate', ...source);
      await file('client_python/program.py', pythonProgram);
      const { stdout } = await python('python', 'client_python/program.py', ...parameters);
      expect(JSON.parse(stdout)).toEqual(answers);
      await expectPush();
    },
    INSTALL_TIMEOUT_MS,
  );
});
