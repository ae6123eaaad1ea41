// Lets Node import TypeScript sources, and `@jest/globals` outside of Jest's loader.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { swcOptions } from '../swc.mjs';

const options = { ...swcOptions({ rewriteRelativeImportExtensions: false }), sourceMaps: 'inline' };

const globalsUrl = 'jest:globals';
const names = 'afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test';
/** Variables: a shared module sees those of the running suite. */
const globalsModule = `
export let ${names};
export const set = (globals) => {
  ({ ${names} } = globals);
};
`;

process.setSourceMapsEnabled(true);
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: globalsUrl, shortCircuit: true }
      : next(specifier, { ...context, conditions: ['@tidings/source', ...context.conditions] }),
  load(url, context, next) {
    if (url === globalsUrl) return { format: 'module', source: globalsModule, shortCircuit: true };
    const [address] = url.split('?');
    if (!address.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(address);
    const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
