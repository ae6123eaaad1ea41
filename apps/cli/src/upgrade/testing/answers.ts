import type { ApiClient, MethodName } from '@tidings/client';
import { untilSettled, unzipped } from '@tidings/testing';

export interface Question {
  readonly method: MethodName;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Answers {
  readonly replies: readonly (Question & { readonly reply: unknown })[];
  readonly exports: Readonly<Record<string, readonly string[]>>;
}

/** The end of a funnel's window is the time of the question. */
const dateless = (name: string, value: unknown): unknown => (name === 'window_to' ? undefined : value);

export async function answersOf(
  client: ApiClient,
  url: string,
  questions: readonly Question[],
  expressions: readonly string[],
): Promise<Answers> {
  const replies: (Question & { reply: unknown })[] = [];
  for (const { method, parameters } of questions) {
    // Replies are compared as they travel, without undefined fields.
    const reply = JSON.parse(JSON.stringify((await client.call(method, parameters)) ?? null), dateless) as unknown;
    replies.push({ method, parameters, reply });
  }
  const exports: Record<string, string[]> = {};
  for (const expression of expressions) exports[expression] = await exported(client, url, expression);
  return { replies, exports };
}

async function exported(client: ApiClient, url: string, filterExpression: string): Promise<string[]> {
  const { task_id: id } = await client.call('exportSegment', { filterExpression });
  await untilSettled(client);
  const { filename } = await client.call('getExportSegment', { task_id: id });
  const { pathname, search } = new URL(filename);
  const reply = await fetch(new URL(pathname + search, url));
  return (await unzipped(Buffer.from(await reply.arrayBuffer()))).text.split('\r\n').toSorted();
}
