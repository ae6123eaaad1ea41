import { readFile } from 'node:fs/promises';

/** The AsyncAPI 3 document of the public topics, as JSON text: keys, partitions, retention and schemas, with the proto files. */
export const asyncApiText = (): Promise<string> =>
  readFile(new URL('./generated/asyncapi.json', import.meta.url), 'utf8');
