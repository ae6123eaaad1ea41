import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import { Agent, request } from 'undici';
import { compile, type Tags } from '../lib/templates.ts';

/**
 * Feeds gorush, which has no audience: devices in memory, texts compiled once, 100 notifications a request. gorush answers when they are sent. argv:
 * the URL of gorush.
 */
const [url = ''] = process.argv.slice(2);

const BATCH = 100;
const REQUESTS = 8;
const MOST_BYTES = 8 << 20;
const POLL_MS = 100;
const IOS = 1;

interface Device {
  readonly token: string;
  readonly language: string;
  readonly tags: Tags;
}

interface Message {
  readonly title: Readonly<Record<string, string>>;
  readonly content: Readonly<Record<string, string>>;
  readonly data: object;
  readonly conditions: readonly (readonly [tag: string, operator: 'EQ' | 'GTE', value: string | number])[];
}

const devices: Device[] = [];
const progress = new Map<string, { status: 'sending' | 'sent'; sent: number }>();
const dispatcher = new Agent({ connections: REQUESTS });

const meets = ({ tags }: Device, { conditions }: Message): boolean =>
  conditions.every(([tag, operator, value]) => (operator === 'EQ' ? tags[tag] === value : tags[tag]! >= value));

async function send(id: string, message: Message): Promise<void> {
  const languages = Object.keys(message.content);
  const templates = new Map(
    languages.map((language) => [
      language,
      { title: compile(message.title[language] ?? ''), body: compile(message.content[language]!) },
    ]),
  );
  const fallback = templates.get('en')!;
  const audience = devices.filter((device) => meets(device, message));
  const own = progress.get(id)!;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < audience.length) {
      const batch = audience.slice(next, (next += BATCH));
      const notifications = batch.map(({ token, language, tags }) => {
        const texts = templates.get(language) ?? fallback;
        return {
          tokens: [token],
          platform: IOS,
          title: texts.title(tags),
          message: texts.body(tags),
          topic: 'com.example.bench',
          push_type: 'alert',
          priority: 'high',
          sound: 'default',
          data: { p: id, u: message.data },
        };
      });
      const reply = await request(`${url}/api/push`, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ notifications }),
      });
      const { counts, logs } = (await reply.body.json()) as { counts: number; logs: readonly object[] };
      own.sent += counts - logs.length;
    }
  };
  await Promise.all(Array.from({ length: REQUESTS }, work));
  own.status = 'sent';
}

async function isReady(): Promise<boolean> {
  try {
    const reply = await request(`${url}/healthz`);
    await reply.body.dump();
    return reply.statusCode === 200;
  } catch {
    return false;
  }
}
while (!(await isReady())) await delay(POLL_MS);

const app = fastify({ bodyLimit: MOST_BYTES });
app.post('/devices', async ({ body }) => {
  devices.push(...(body as Device[]));
  return {};
});
app.post('/messages', async ({ body }) => {
  const id = String(progress.size);
  progress.set(id, { status: 'sending', sent: 0 });
  send(id, body as Message).catch((error: unknown) => console.error(error));
  return { id };
});
app.get('/messages/:id', async ({ params }) => progress.get((params as { id: string }).id));
const address = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ ready: { url: address } }));
