import { globSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { declarationOf, scriptsForBrowsers } from './web-sdk.mjs';

const FOLDER = 'libs/web-sdk';
const MAX_BYTES = 6000;

const scripts = await scriptsForBrowsers(FOLDER);

/** Without the globals of Node. */
const run = (script: string, globals: object = {}): object => {
  const context = createContext(globals);
  runInContext(script, context);
  return context;
};

describe('the scripts of @tidings/web', () => {
  it(`have at most ${MAX_BYTES} bytes together`, () => {
    const sizes = Object.values(scripts).map((script) => gzipSync(script, { level: 9 }).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('offer one function to pages, as a global', () => {
    expect(Object.keys((run(scripts['tidings.js']) as { Tidings: object }).Tidings)).toEqual(['connect']);
  });

  it('listen to the events of a service worker, and define no global there', () => {
    const events: string[] = [];
    const globals = { addEventListener: (event: string) => events.push(event) };
    expect(Object.keys(run(scripts['tidings-worker.js'], globals))).toEqual(['addEventListener']);
    expect(events).toEqual(['push', 'notificationclick', 'pushsubscriptionchange']);
  });
});

describe('the type declarations of @tidings/web', () => {
  it.each(globSync('**/*.ts', { cwd: `${FOLDER}/src` }).filter((file) => !file.endsWith('.spec.ts')))(
    'of %s name built files',
    async (source) => {
      expect(await declarationOf(FOLDER, source)).not.toMatch(/from '[^']*\.ts'/);
    },
  );
});
