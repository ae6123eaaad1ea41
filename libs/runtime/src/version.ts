import { readFileSync } from 'node:fs';

/** The version of Tidings, from the `package.json` at its top. */
export const { version: productVersion } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };
