import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { platform, type StoredWorld, startBrowser, type TestBrowser } from '@tidings/testing';

type Page = Awaited<ReturnType<TestBrowser['browser']['newPage']>>;

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const BROWSER_TIMEOUT_MS = 120_000;

let world: StoredWorld;
let chromium: TestBrowser;
beforeAll(async () => {
  world = await platform();
  chromium = await startBrowser();
  // The page is made on first use, which may exceed a request's deadline.
  while ((await fetch(`${world.url}/docs`)).status === 503);
});
afterAll(() => Promise.all([chromium?.close(), world?.stop()]));

async function opened(anchor: string, width = 1280, scheme: 'light' | 'dark' = 'light') {
  const page = await chromium.browser.newPage();
  page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(`${world.url}/docs${anchor}`, { waitUntil: 'networkidle0' });
  return { page, requests, errors };
}

const foreignOf = (requests: readonly string[]): string[] =>
  requests.filter((address) => !address.startsWith('data:') && new URL(address).origin !== world.url);

/** Code for the page is a string: browser types are absent here. */
const heading = (page: Page, name: string) =>
  page.waitForFunction(`[...document.querySelectorAll('h1, h2, h3')].some((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return each.textContent.trim() === '${name}' && top >= 0 && bottom <= innerHeight;
  })`);

interface Shown {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function callOf(text: string): Shown {
  const headers = [...text.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name!, value!]);
  return {
    url: /curl (\S+)/.exec(text)![1]!,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: /-d '([^']+)'/.exec(text)![1]!,
  };
}

describe('/docs in a browser', () => {
  it('opens an operation by its anchor, calls no other origin, and shows Markdown as text', async () => {
    const { page, requests, errors } = await opened('#createMessage');
    await heading(page, 'createMessage');
    expect({ foreign: foreignOf(requests), errors }).toEqual({ foreign: [], errors: [] });
    expect(requests).toContain(`${world.url}/openapi.json`);
    await page.evaluate(`location.hash = '#createTestDevice'`);
    await heading(page, 'createTestDevice');
    const text = await page.evaluate('document.body.innerText');
    expect(text).not.toContain('`');
    expect(text).not.toMatch(/\bR-[A-Z]+\d/);
    await page.close();
  });

  it.each([
    ['#createMessage', 'createMessage', 'light'],
    ['', 'Tidings', 'dark'],
  ] as const)(
    'meets the level AA of WCAG at %p, with the heading %s, in the %s scheme',
    async (anchor, name, scheme) => {
      const { page } = await opened(anchor, 1280, scheme);
      await heading(page, name);
      await page.evaluate(await readFile(axePath, 'utf8'));
      const violations = (await page.evaluate(`axe
      .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target.join(' '), failureSummary])))`)) as unknown[];
      expect(violations).toEqual([]);
      expect(await page.evaluate('document.body.innerText')).not.toMatch(/max length: +65536/);
      await page.close();
    },
  );

  it('is no wider than a phone', async () => {
    const { page } = await opened('#registerDevice', 390);
    await heading(page, 'registerDevice');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.close();
  });

  it('shows first calls that work unchanged, with placeholders for tokens, and finds an operation by a word', async () => {
    const { page, requests } = await opened('');
    await page.waitForFunction(`document.body.textContent.includes('/json/1.3/createApplication')`);
    const shown = (await page.evaluate(
      `[...document.querySelectorAll('pre')].map((each) => each.textContent)`,
    )) as string[];
    const [token, application] = shown.filter((text) => text.startsWith('curl ') && text.includes("-d '")).map(callOf);

    const send = ({ url, headers, body }: Shown, placeholder: string, secret: string): Promise<unknown> =>
      page.evaluate(async (address, init) => (await fetch(address, init)).json(), url, {
        method: 'POST',
        body,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, value.replace(placeholder, secret)]),
        ),
      });
    const issued = await send(token!, 'ADMINISTRATOR_TOKEN', world.secrets.admin);
    expect(issued).toEqual({ id: expect.any(String) as unknown, token: expect.any(String) as unknown });
    const { token: secret } = issued as { readonly token: string };
    expect(await send(application!, 'API_TOKEN', secret)).toMatchObject({
      status_code: 200,
      response: { application: expect.stringMatching(/^[0-9A-F]{5}-[0-9A-F]{5}$/) as unknown },
    });

    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.waitForSelector('[role="dialog"] input');
    await page.type('[role="dialog"] input', 'funnel');
    await page.waitForFunction(`document.querySelector('[role="dialog"]').textContent.includes('getDeliveryFunnel')`);
    expect(foreignOf(requests)).toEqual([]);
    await page.close();
  });
});
