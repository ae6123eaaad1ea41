import { type Client, openClient } from '../testing/gateway-client.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  // Made on first use, which may exceed the deadline of a request on a busy machine.
  for (const path of ['/docs', '/openapi.json', '/openapi-strict.json', '/asyncapi.json'])
    while ((await get(path)).status === 503);
});
afterAll(() => client.close());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(new URL(path, client.url), { headers });

async function assets(): Promise<string[]> {
  const html = await (await get('/docs')).text();
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
}

describe('/docs', () => {
  it('loads its own scripts only, and needs no token', async () => {
    const loaded = await assets();
    expect(loaded.filter((address) => !/^(\/docs\/assets\/|\/openapi\.json$|data:)/.test(address))).toEqual([]);
    const scripts = loaded.filter((address) => address.startsWith('/docs/assets/'));
    expect(scripts).toHaveLength(2);
    for (const address of scripts) {
      const { status, headers } = await get(address);
      expect({ status, type: headers.get('content-type') }).toEqual({
        status: 200,
        type: 'text/javascript; charset=utf-8',
      });
    }
  });

  it('is where the root leads to', async () => {
    const { status, headers } = await fetch(new URL('/', client.url), { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
  });

  it('forbids content of other origins', async () => {
    const policy = (await get('/docs')).headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('is revalidated at each visit, while its scripts with hashed names are cached', async () => {
    expect((await get('/docs')).headers.get('cache-control')).toBe('no-cache');
    const [script] = await assets().then((loaded) => loaded.filter((address) => address.startsWith('/docs/assets/')));
    expect(script).toMatch(/\.[0-9a-f]{16}\.js$/);
    expect((await get(script!)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it.each(['/docs', '/openapi.json', '/openapi-strict.json', '/asyncapi.json'])(
    'serves %s compressed to clients that accept it',
    async (path) => {
      const plain = await get(path, { 'accept-encoding': 'identity' });
      const packed = await get(path, { 'accept-encoding': 'br, gzip' });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(packed.headers.get('vary')).toBe('accept-encoding');
      expect(await packed.text()).toBe(await plain.text());
      expect((await get(path, { 'accept-encoding': 'gzip;q=0' })).headers.get('content-encoding')).toBeNull();
    },
  );

  it('answers 404 for other assets', async () => {
    expect((await get('/docs/assets/other.js')).status).toBe(404);
  });
});
