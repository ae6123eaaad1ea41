import { Agent, request as open } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { api, type Method } from '@tidings/contract';
import {
  anyVerb,
  bodyOf,
  damagedPath,
  type Draw,
  drawn,
  largeBodyOf,
  mutated,
  platform,
  type World,
} from '@tidings/testing';

/** `FUZZ_REQUESTS=100000` runs the whole of T21. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 5_000);
const AT_ONCE = 16;
/** One at a time, to measure the duration of each. */
const LARGE_REQUESTS = Math.min(200, Math.ceil(REQUESTS / 250));
const LARGE_BYTES: readonly number[] = [0.3, 1, 4, 9.9].map((mib) => mib * 2 ** 20);
/** A busy machine may exceed a deadline; a real defect shows on every try, without other load. */
const TRIES_ALONE = 3;
/** CPU time: other processes may take as much. */
const HANG_MS = 1000;
const SLOWNESS_FACTOR = 20;
/** A large body takes time to arrive and to be parsed. */
const HANG_MS_PER_MIB = 500;
/** Changes the time of all later requests. */
const LEFT_OUT: readonly string[] = ['advanceClock'];

const { seed, draw } = drawn('malformed requests');
const methods = Object.values<Method>(api).filter(({ name }) => !LEFT_OUT.includes(name));

/** A kept-alive connection may end just as it is reused: only a request unanswered on every try is a defect. */
const noAnswer = (error: unknown) => ({ status: 599, text: String(error) });

const OTHER_PATHS: readonly string[] = [
  '/livez',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/icons/a.png',
  '/s/aaaaaaaa',
];

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

describe('malformed requests', () => {
  let world: World & { stop(): Promise<void> };
  let application: string;
  const agent = new Agent({ keepAlive: true });
  beforeAll(async () => {
    world = await platform();
    application = await world.application({ title: 'Fuzzed' });
    await world.call('registerDevice', {
      application,
      hwid: 'phone-1',
      device_type: 3,
      push_token: 'token',
      userId: 'anna',
    });
  });
  afterAll(async () => {
    agent.destroy();
    await world?.stop();
  });

  const request = (random: Draw, bytes = 0): Request => {
    const method = methods[Math.floor(random() * methods.length)]!;
    const { api: apiToken, device, admin } = world.secrets;
    const example = method.examples[Math.floor(random() * method.examples.length)]!.request;
    // `deleteApplication` would delete the application.
    const known = method.name === 'deleteApplication' ? {} : { application };
    const fields = mutated({ ...example, ...(random() < 0.9 && 'application' in example && known) }, random) as Record<
      string,
      unknown
    >;
    const path = method.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(
        JSON.stringify(fields[name] ?? '%')
          .slice(0, 200)
          .toWellFormed(),
      ),
    );
    const given = { auth: apiToken, ...fields };
    const body =
      bytes > 0
        ? largeBodyOf(given, bytes, random)
        : bodyOf(method.body === 'wrapped' ? { request: given } : given, random);
    const token = { device: `Token ${device}`, admin: `Bearer ${admin}`, server: `Api ${apiToken}` }[
      String(method.scope)
    ];
    const verb = random() < 0.04 ? anyVerb(random) : method.verb;
    return {
      method: verb,
      path: random() < 0.06 ? damagedPath(path, random) : path,
      headers: token !== undefined && random() < 0.97 ? { authorization: token } : {},
      ...(verb === 'GET' || verb === 'HEAD' ? {} : { body }),
    };
  };

  const astray = (random: Draw): Request => {
    const base = random() < 0.5 ? OTHER_PATHS : methods.map(({ path }) => path);
    const path = damagedPath(base[Math.floor(random() * base.length)]!, random);
    return { method: random() < 0.5 ? 'GET' : anyVerb(random), path, headers: {} };
  };

  const answerTo = async ({ body, ...options }: Request): Promise<{ status: number; text: string }> => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = open(world.url, { ...options, agent, headers: { ...options.headers, ...length } }, (response) => {
      void text(response).then((got) => resolve({ status: response.statusCode!, text: got }), reject);
    });
    sent.on('error', reject);
    sent.end(body);
    return promise;
  };

  const broken = async (sent: Request): Promise<string | undefined> => {
    const sentAt = performance.now();
    const before = process.cpuUsage();
    const { status, text: got } = await answerTo(sent).catch(noAnswer);
    const took = performance.now() - sentAt;
    const { user, system } = process.cpuUsage(before);
    const worked = (user + system) / 1000;
    const allowed = HANG_MS + Math.floor((sent.body?.length ?? 0) / (1 << 20)) * HANG_MS_PER_MIB;
    const isSlow = worked > allowed || took > SLOWNESS_FACTOR * allowed;
    if (status < 500 && !isSlow && !/<html|\n\s+at /i.test(got)) return undefined;
    const answer = `${status} ${got.slice(0, 100)} after ${took.toFixed()} ms, ${worked.toFixed()} of the processor,`;
    return `${answer} to ${sent.method} ${sent.path} ${sent.body?.slice(0, 600)}`;
  };

  /** A defect must show on every try. */
  const brokenAlone = async (sent: Request): Promise<string | undefined> => {
    let fault: string | undefined;
    for (let tries = 0; tries < TRIES_ALONE; tries++) if ((fault = await broken(sent)) === undefined) break;
    return fault;
  };

  it(`are answered without 500, HTML or a stack trace, and with at most a second of work: ${REQUESTS} of them`, async () => {
    const suspects: Request[] = [];
    let sent = 0;
    const client = async (): Promise<void> => {
      while (sent++ < REQUESTS) {
        const one = draw() < 0.05 ? astray(draw) : request(draw);
        if ((await broken(one)) !== undefined) suspects.push(one);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const found: string[] = [];
    for (const suspect of suspects) {
      const fault = await brokenAlone(suspect);
      if (fault !== undefined) found.push(fault);
    }
    for (let n = 0; n < LARGE_REQUESTS; n++) {
      const bytes = LARGE_BYTES[Math.floor(draw() * LARGE_BYTES.length)]!;
      const fault = await brokenAlone(request(draw, bytes));
      if (fault !== undefined) found.push(`${bytes} bytes: ${fault}`);
    }
    expect({ seed, found: found.slice(0, 20) }).toEqual({ seed, found: [] });
    await world.call('registerDevice', { application, hwid: 'phone-2', device_type: 3, language: 'de' });
    expect((await world.call('getTags', { application, hwid: 'phone-2' })).result).toMatchObject({ Language: 'de' });
  }, 1_200_000);
});
