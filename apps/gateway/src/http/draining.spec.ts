import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { type Client, openClient } from '../testing/gateway-client.ts';

const CLIENTS = 50;

interface Seen {
  answers: number;
  readonly resets: string[];
}

async function callUntilGone({ url }: Client, seen: Seen, answered: () => void): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = { method: 'POST', agent, headers: { 'content-length': 2 } };
  const call = async (): Promise<void> => {
    const sent = request(new URL('/json/1.3/unheardOf', url), options).end('{}');
    const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
    await text(response);
    seen.answers++;
    answered();
  };
  for (let isGone = false; !isGone; await turn()) {
    await call().catch(({ code }: { code: string }) => {
      isGone = code === 'ECONNREFUSED';
      if (!isGone) seen.resets.push(code);
    });
  }
  agent.destroy();
}

describe('a draining gateway', () => {
  it('resets no connection of clients that continue to call', async () => {
    const client = await openClient(undefined, { drainMs: 5_000 });
    const seen = Array.from({ length: CLIENTS }, (): Seen => ({ answers: 0, resets: [] }));
    const warm = Promise.withResolvers<void>();
    const clients = seen.map((each) =>
      callUntilGone(client, each, () => {
        if (seen.every(({ answers }) => answers > 0)) warm.resolve();
      }),
    );
    await warm.promise;
    const before = seen.map(({ answers }) => answers);
    await client.shutDown();
    await Promise.all(clients);
    expect(seen.flatMap(({ resets }) => resets)).toEqual([]);
    // A reply announced it: that of the call under way, or the next one.
    for (const [i, { answers }] of seen.entries()) expect(answers - before[i]!).toBeLessThanOrEqual(2);
  });

  it('does not wait for unused connections', async () => {
    const client = await openClient();
    const unused = connect(Number(client.url.port), client.url.hostname);
    await Promise.all([once(unused, 'connect'), once(client.server, 'connection')]);
    await Promise.all([once(unused, 'close'), client.shutDown()]);
  });
});
