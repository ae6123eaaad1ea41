import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { api, type Method } from '@tidings/contract';
import { bodyOf, type Draw, drawn, mutated, platform, type World } from '@tidings/testing';

/** `FUZZ_REQUESTS=100000` is the whole of T21. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 10_000);
const AT_ONCE = 16;
/** A busy machine may leave a request unanswered in time; what is wrong with a request is wrong each time. */
const TRIES = 3;
const HANG_MS = 1000;
/** Moves the time of everything that follows. */
const LEFT_OUT: readonly string[] = ['advanceClock'];

const { seed, draw } = drawn('malformed requests');
const methods = Object.values<Method>(api).filter(({ name }) => !LEFT_OUT.includes(name));

interface Request {
  readonly url: string;
  readonly init: Omit<RequestInit, 'body'> & { readonly body?: string };
}

describe('whatever callers send is answered, and costs the service nothing', () => {
  let world: World & { stop(): Promise<void> };
  let application: string;
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
  afterAll(() => world?.stop());

  const request = (random: Draw): Request => {
    const method = methods[Math.floor(random() * methods.length)]!;
    const { api: apiToken, device, admin } = world.secrets;
    const example = method.examples[Math.floor(random() * method.examples.length)]!.request;
    // Of an application that is there, but for what would be its end.
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
    const body = bodyOf(
      method.body === 'wrapped' ? { request: { auth: apiToken, ...fields } } : { auth: apiToken, ...fields },
      random,
    );
    const token = { device: `Token ${device}`, admin: `Bearer ${admin}`, server: `Api ${apiToken}` }[
      String(method.scope)
    ];
    const verb = random() < 0.02 ? 'PUT' : method.verb;
    return {
      url: `${world.url}${path}`,
      init: {
        method: verb,
        headers: { ...(token !== undefined && random() < 0.97 && { authorization: token }), connection: 'keep-alive' },
        ...(verb === 'GET' ? {} : { body }),
        redirect: 'manual',
      },
    };
  };

  /** What is wrong with the answer to a request each time that it is sent; undefined = nothing. */
  const broken = async ({ url, init }: Request): Promise<string | undefined> => {
    for (let tries = 1; ; tries++) {
      const sentAt = performance.now();
      const reply = await fetch(url, init);
      const text = await reply.text();
      const took = performance.now() - sentAt;
      const isBad = reply.status >= 500 || took > HANG_MS || /<html|\n\s+at /i.test(text);
      if (!isBad) return undefined;
      if (tries < TRIES) continue;
      const answer = `${reply.status} ${text.slice(0, 100)} after ${took.toFixed()} ms`;
      return `${answer} to ${init.method} ${url} ${init.body?.slice(0, 600)}`;
    }
  };

  it(`${REQUESTS} requests: no answer of 500, no HTML, no trace of a stack, none that takes over a second`, async () => {
    const found: string[] = [];
    let sent = 0;
    const client = async (): Promise<void> => {
      while (sent++ < REQUESTS) {
        const fault = await broken(request(draw));
        if (fault !== undefined) found.push(fault);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    expect({ seed, found: found.slice(0, 20) }).toEqual({ seed, found: [] });
    // And it goes on working.
    await world.call('registerDevice', { application, hwid: 'phone-2', device_type: 3, language: 'de' });
    expect((await world.call('getTags', { application, hwid: 'phone-2' })).result).toMatchObject({ Language: 'de' });
  }, 1_200_000);
});
