import { readFile } from 'node:fs/promises';

export const asyncApiText = (): Promise<string> =>
  readFile(new URL('./generated/asyncapi.json', import.meta.url), 'utf8');
