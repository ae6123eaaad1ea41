import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canRunJars, mavenJars } from '@tidings/local-servers';
import { fcmToken } from '@tidings/simulators';
import { describeWhere, funnelFigures, platform, type StoredWorld } from '@tidings/testing';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..', '..');
const pages = join(root, 'docs', 'clients');
const sources = join(root, 'examples', 'android');

const KOTLIN_VERSION = '2.2.20';
const compiler = {
  name: `kotlin-compiler-${KOTLIN_VERSION}`,
  pom: join(sources, 'kotlin-compiler', 'pom.xml'),
  options: [`-Dkotlin.version=${KOTLIN_VERSION}`],
};
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

/** The first argument names the part of the test; the others are those of the client and the push as JSON. */
const kotlinProgram = `
import tidings.*

fun refusalOf(call: () -> Unit): Any? = try {
    call()
    null
} catch (refusal: TidingsRefusal) {
    listOf(refusal.status, refusal.message)
} catch (unavailable: TidingsUnavailable) {
    unavailable.message
}

fun main(args: Array<String>) {
    val (part, url, deviceToken, application) = args
    val pauses = mutableListOf<Long>()
    val client = TidingsClient(url, deviceToken, application, "phone-1", pause = { pauses += it })
    val result: Map<String, Any?> = when (part) {
        "register" -> {
            client.register(args[4], "en-GB", appVersion = "1.2.3")
            client.reportAppOpened("en")
            client.setTags(mapOf("Level" to 7, "Name" to "Anna \\"Ä\\" \\n 😀", "Interests" to listOf("news", "sport")))
            client.setTags(mapOf("Level" to mapOf("operation" to "increment", "value" to 1), "Interests" to null))
            client.setBadge(3)
            mapOf("tags" to client.getTags(), "refusal" to refusalOf { client.setTags(mapOf("Level" to "high")) })
        }
        "push" -> {
            @Suppress("UNCHECKED_CAST")
            val push = Push.from(Json.read(args[4]) as Map<String, String>)!!
            client.reportDelivered(push.hash!!)
            client.reportOpened(push.hash!!)
            val inbox = client.getInbox()
            client.setInboxStatus(push.inboxCode!!, 3)
            client.signIn("user-1")
            client.signOut()
            client.postEvent("Purchase", mapOf("amount" to 4.5, "currency" to "EUR"))
            val shown = listOf(push.title, push.text, push.link, push.data, push.badge, push.isSilent)
            mapOf("shown" to shown, "before" to inbox, "after" to client.getInbox(), "foreign" to Push.from(emptyMap()))
        }
        "leave" -> {
            client.unregister()
            client.delete()
            mapOf("refusal" to refusalOf { client.setBadge(0) })
        }
        else -> {
            client.setBadge(0)
            mapOf("refusal" to refusalOf { client.setBadge(1) })
        }
    }
    print(Json.write(result + mapOf("pauses" to pauses)))
}
`;

let world: StoredWorld;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-app-'));
  world = await platform({ simulators: { keepPayloads: true } });
  for (const [name, type] of Object.entries({ Level: 1, Name: 2, Interests: 3 })) {
    await world.call('addTag', { tag: { name, type } });
  }
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Command {
  readonly line: string;
  readonly reply: string | undefined;
}

const commandsIn = (text: string): Command[] =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    block!.split('\n\n').map((command) => {
      const [line, reply] = command.trim().split('\n# ');
      return { line: line!, reply };
    }),
  );

describe('the pages for apps', () => {
  it.each(['device-calls.md', 'android.md', 'ios.md'])(
    'have commands that work, with their replies: %s',
    async (page) => {
      const commands = commandsIn(await readFile(join(pages, page), 'utf8'));
      expect(commands.length).toBeGreaterThan(0);
      const application = await world.application();
      const env = {
        ...process.env,
        T: world.url,
        APP: application,
        DEVICE: world.secrets.device,
        HWID: `hwid-${page}`,
      };
      for (const { line, reply } of commands) {
        const { stdout } = await run('bash', ['-c', line], { env });
        if (reply === undefined) expect(JSON.parse(stdout)).toMatchObject({ status_code: 200 });
        else expect([line, stdout.trim()]).toEqual([line, reply]);
      }
    },
  );
});

describeWhere(canRunJars(compiler))('the client for Android', () => {
  let jars: string;
  let application: string;

  const program = async (part: string, url: string, ...parameters: string[]): Promise<unknown> => {
    const classPath = [folder, join(jars, '*')].join(delimiter);
    const all = [part, url, world.secrets.device, application, ...parameters];
    const { stdout } = await run('java', ['-XX:TieredStopAtLevel=1', '-cp', classPath, 'MainKt', ...all]);
    return JSON.parse(stdout);
  };

  beforeAll(async () => {
    application = await world.application();
    jars = await mavenJars(compiler);
    await writeFile(join(folder, 'Main.kt'), kotlinProgram);
    const files = ['Json', 'Push', 'TidingsClient'].map((name) => join(sources, `${name}.kt`));
    const options = [
      '-Werror',
      '-no-stdlib',
      '-no-reflect',
      '-classpath',
      join(jars, `kotlin-stdlib-${KOTLIN_VERSION}.jar`),
    ];
    const { status, stderr } = spawnSync(
      'java',
      [
        ...['-XX:TieredStopAtLevel=1', '-cp', join(jars, '*'), 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler'],
        ...[...options, '-d', folder, ...files, join(folder, 'Main.kt')],
      ],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, DOWNLOAD_TIMEOUT_MS);

  it('registers, tags, reports a delivery and an open, reads the inbox, and leaves', async () => {
    const token = fcmToken('accepted', 1);
    expect(await program('register', world.url, token)).toEqual({
      tags: expect.objectContaining({ Level: 8, Name: 'Anna "Ä" \n 😀' }),
      refusal: [210, 'tags.Level: wrong value: integer expected'],
      pauses: [],
    });

    const notifications = [
      {
        content: 'Hello {{Level}}',
        title: 'News',
        link: 'example://orders/17',
        data: { order: 17 },
        android_badges: '+1',
        inbox_days: 3,
      },
    ];
    const { Messages } = await world.call('createMessage', { application, notifications });
    await world.settle();
    const [entry] = world.simulators.ledger.of('fcm').entries({ token });
    const { data } = (JSON.parse(entry!.payload!) as { message: { data: unknown } }).message;

    expect(await program('push', world.url, JSON.stringify(data))).toMatchObject({
      shown: ['News', 'Hello 8', 'example://orders/17', '{"order":17}', 4, false],
      before: { messages: [{ status: 1, text: 'Hello 8' }], new_inbox: 1 },
      after: { messages: [{ status: 3 }], new_inbox: 0 },
      foreign: null,
      pauses: [],
    });
    await world.settle();
    const funnel = await world.call('getDeliveryFunnel', { message_code: Messages[0]! });
    expect(funnelFigures(funnel)).toMatchObject({ sent: 1, confirmed: 1, opened: 1 });

    expect(await program('leave', world.url)).toEqual({ refusal: [210, 'Device not found'], pauses: [] });
  });

  it('repeats what had no effect, with the same key, after the time that the reply names', async () => {
    const keys: IncomingHttpHeaders['idempotency-key'][] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['idempotency-key']);
      request.resume();
      if (keys.length === 2) return void response.end('{"status_code":200,"status_message":"OK"}');
      if (keys.length === 1) response.setHeader('Retry-After', '7');
      response.writeHead(503).end('busy');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      expect(await program('busy', `http://127.0.0.1:${port}`)).toEqual({
        refusal: 'setBadge had no answer in 3 tries',
        pauses: [7000, 1000, 2000],
      });
    } finally {
      server.close();
    }
    const [first, second, ...others] = keys;
    expect(second).toBe(first);
    expect(new Set(others).size).toBe(1);
    expect(others).toHaveLength(3);
    expect(others[0]).not.toBe(first);
  });
});
