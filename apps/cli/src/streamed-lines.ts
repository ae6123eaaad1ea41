import { Readable } from 'node:stream';
import { Failure, type GlobalOptions } from './session.ts';

/** U+2028 ends a line for readline, and a record may contain it. */
async function* linesOf(body: Readable): AsyncIterable<string> {
  let rest = '';
  for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line !== '') yield line;
  }
}

/** Of a reply without an end or a bound. @throws Failure with the reason of a refusal */
export async function* streamedLines(
  url: URL,
  { adminToken }: Pick<GlobalOptions, 'adminToken'>,
): AsyncIterable<string> {
  const reply = await fetch(url, { headers: { authorization: `Bearer ${adminToken}` } });
  if (reply.status !== 200) {
    const { error } = (await reply.json()) as { error?: { message?: string } };
    throw new Failure(`${error?.message ?? 'The gateway refuses this'} (${reply.status})`);
  }
  const body = Readable.fromWeb(reply.body as Parameters<typeof Readable.fromWeb>[0]);
  try {
    yield* linesOf(body);
  } finally {
    body.destroy();
  }
}
