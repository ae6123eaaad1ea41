import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { type Operations, OperationsDefinition } from '../index.ts';
import { type Echo, echoDefinition, Echoing } from '../rpc.features.ts';
import type { Resolve } from './rpc-addresses.ts';
import { everyReplica, remote, type RemoteOptions } from './remote.ts';
import { openReplicas, type Replicas } from './replicas.ts';
import { type RpcProcess, serve, testAccess } from './testing/rpc-process.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Named extends RpcProcess {
  readonly received: string[];
}

type Say = Echo['say'];

async function start(name: string, options: { port?: number; drainMs?: number; say?: Say } = {}): Promise<Named> {
  const { say = async () => ({ text: name }), ...rest } = options;
  const received: string[] = [];
  const echo: Echo = {
    say(request) {
      received.push(request.text);
      return say(request);
    },
    repeat: (request) => new Echoing().repeat(request),
  };
  const process = await serve([[echoDefinition, echo]], rest);
  closers.push(() => process.close());
  return { ...process, received };
}

async function replicasOf(processes: readonly RpcProcess[], resolve?: Resolve): Promise<Replicas> {
  const address = processes.map((each) => each.address).join(',');
  const replicas = await openReplicas(address, { access: testAccess, ...(resolve && { resolve }) });
  closers.push(() => replicas.close());
  return replicas;
}

/** Connects first: on a busy machine that takes long. */
async function connectedTo(processes: readonly RpcProcess[]): Promise<Replicas> {
  const replicas = await replicasOf(processes);
  for (const replica of replicas.all) {
    for (let stands = false; !stands;)
      stands = await replica.ready(Infinity).then(
        () => true,
        () => false,
      );
  }
  return replicas;
}

const echoAt = (replicas: Replicas, options?: RemoteOptions<Echo>): Echo =>
  remote<Echo>(echoDefinition, replicas, options);
const never: Say = () => new Promise(() => undefined);
const indices = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

async function setUpBroken() {
  const arrived = Promise.withResolvers<void>();
  const say: Say = () => {
    arrived.resolve();
    return new Promise(() => undefined);
  };
  const first = await start('first', { drainMs: 0, say });
  const second = await start('second');
  const replicas = await connectedTo([first, second]);
  const keys = indices(100).map(String);
  const text = keys.find((key) => replicas.candidates(key)[0]!.name === first.address)!;
  return {
    first,
    second,
    replicas,
    text,
    cut: async () => {
      await arrived.promise;
      await first.close();
    },
  };
}

const byText = { keyOf: { say: ({ text }) => text } } satisfies RemoteOptions<Echo>;

describe('a remote call', () => {
  it('ends at its deadline', async () => {
    const { received, ...process } = await start('mute', { drainMs: 0, say: never });
    const echo = echoAt(await connectedTo([process]), { deadlineMs: 500, isRepeatable: { say: () => true } });
    await expect(echo.say({ text: 'a' })).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'A service does not answer',
      internal: expect.stringContaining('test.Echo.Say at 127.0.0.1:'),
    });
    expect(received).toEqual(['a']);
  });

  it('is not sent if it exceeds the size of a message', async () => {
    const process = await start('first');
    const echo = echoAt(await connectedTo([process]));
    await expect(echo.say({ text: 'x'.repeat(64 << 20) })).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(process.received).toEqual([]);
  });

  it('goes to reachable replicas', async () => {
    const [first, second] = [await start('first'), await start('second')];
    const echo = echoAt(await connectedTo([first, second]));
    expect(new Set(await Promise.all(indices(10).map(async () => (await echo.say({ text: 'a' })).text)))).toEqual(
      new Set(['first', 'second']),
    );
    await first.close();
    for (const text of indices(10).map(String)) expect(await echo.say({ text })).toEqual({ text: 'second' });
  });

  it('waits for a service that has not started', async () => {
    const gone = await start('gone');
    await gone.close();
    const echo = echoAt(await replicasOf([gone]));
    const answer = echo.say({ text: 'a' });
    await start('back', { port: gone.port });
    expect(await answer).toEqual({ text: 'back' });
  });

  it('fails if no replica appears within its deadline', async () => {
    const gone = await start('gone');
    await gone.close();
    const unknown = await openReplicas('registry:9090', { access: testAccess, resolve: async () => [] });
    closers.push(() => unknown.close());
    for (const replicas of [await replicasOf([gone]), unknown]) {
      await expect(echoAt(replicas, { deadlineMs: 200 }).say({ text: 'a' })).rejects.toMatchObject({
        kind: 'unavailable',
        effect: 'none',
      });
    }
  });

  it('fails in time if the clock is set back meanwhile', async () => {
    const gone = await start('gone');
    await gone.close();
    const answer = echoAt(await replicasOf([gone]), { deadlineMs: 500 }).say({ text: 'a' });
    const failed = expect(answer).rejects.toMatchObject({ kind: 'unavailable', effect: 'none' });
    await delay(50);
    const now = Date.now() - 600_000;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    try {
      await failed;
    } finally {
      clock.mockRestore();
    }
  });

  it('fails in time if names are not resolved any more', async () => {
    let lookups = 0;
    const resolve = async (): Promise<string[]> => (lookups++ === 0 ? [] : new Promise(() => undefined));
    const replicas = await openReplicas('registry:9090', { access: testAccess, resolve });
    closers.push(() => replicas.close());
    // On a slow machine the deadline may come before the repetition.
    do {
      const answer = echoAt(replicas, { deadlineMs: 2_000 }).say({ text: 'a' });
      await expect(answer).rejects.toMatchObject({ kind: 'unavailable', effect: 'none' });
    } while (lookups < 2);
  });

  it('is not repeated if its connection is lost, since it may have been carried out', async () => {
    const { cut, first, second, replicas, text } = await setUpBroken();
    const answer = echoAt(replicas, byText).say({ text });
    const refused = expect(answer).rejects.toMatchObject({ kind: 'unavailable', effect: undefined });
    await cut();
    await refused;
    expect([first.received, second.received]).toEqual([[text], []]);
  });

  it('is repeated at another replica if its request is idempotent', async () => {
    const { cut, first, second, replicas, text } = await setUpBroken();
    const answer = echoAt(replicas, { ...byText, isRepeatable: { say: (request) => request.text === text } }).say({
      text,
    });
    await cut();
    expect(await answer).toEqual({ text: 'second' });
    expect([first.received, second.received]).toEqual([[text], [text]]);
  });

  it('is a bug if its request cannot be sent', async () => {
    const echo = echoAt(await replicasOf([await start('first')]));
    const unencodable = { text: 1n as unknown as string };
    await expect(echo.say(unencodable)).rejects.toMatchObject({
      kind: 'bug',
      internal: 'test.Echo.Say: the request cannot be sent',
    });
    await expect(echo.repeat(unencodable)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'bug' });
  });

  it('is not repeated if the service itself answers that it is unavailable', async () => {
    let lookups = 0;
    const operations: Operations = {
      settled: async () => {
        lookups++;
        throw Fault.unavailable('The store does not answer');
      },
      advanceClock: async () => ({ nowMs: 0n, aheadMs: 0n }),
      storage: async () => ({}),
    };
    const process = await serve([[OperationsDefinition, operations]]);
    closers.push(() => process.close());
    const settled = remote<Operations>(OperationsDefinition, await replicasOf([process])).settled({});
    await expect(settled).rejects.toMatchObject({ kind: 'unavailable', message: 'The store does not answer' });
    expect(lookups).toBe(1);
  });
});

describe('a shutdown', () => {
  it('answers the calls in progress', async () => {
    const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<{ text: string }>()];
    const say: Say = () => {
      arrived.resolve();
      return answer.promise;
    };
    const process = await start('slow', { say });
    const reply = echoAt(await replicasOf([process])).say({ text: 'a' });
    await arrived.promise;
    const closed = process.close();
    answer.resolve({ text: 'done' });
    expect(await reply).toEqual({ text: 'done' });
    await closed;
  });

  it('loses no call and repeats none, one replica after the other under load', async () => {
    const texts: string[] = [];
    const say: Say = async ({ text }) => {
      texts.push(text);
      await delay(1);
      return { text };
    };
    let processes = [await start('first', { say }), await start('second', { say })];
    const echo = echoAt(await replicasOf(processes), { deadlineMs: 30_000 });
    let stopping = false;
    let sent = 0;
    const load = indices(16).map(async () => {
      while (!stopping) {
        const text = `${sent++}`;
        expect(await echo.say({ text })).toEqual({ text });
      }
    });
    const soFar = async (n: number): Promise<void> => {
      while (texts.length < n) await delay(1);
    };
    for (let round = 0; round < 3; round++) {
      for (const process of processes) {
        await soFar(texts.length + 200);
        await process.close();
        await soFar(texts.length + 200);
        const again = await start('again', { say, port: process.port });
        processes = processes.map((each) => (each === process ? again : each));
      }
    }
    stopping = true;
    await Promise.all(load);
    expect(texts.length).toBe(sent);
    expect(new Set(texts).size).toBe(sent);
  });
});

describe('a routing key', () => {
  it('leads to one replica, wherever it is used, and to the next one while that is unavailable', async () => {
    const processes = [await start('a'), await start('b'), await start('c')];
    const [here, there] = [await connectedTo(processes), await connectedTo([...processes].reverse())];
    const texts = indices(30).map(String);
    const routes = async (replicas: Replicas): Promise<string[]> =>
      Promise.all(texts.map(async (text) => (await echoAt(replicas, byText).say({ text })).text));
    const before = await routes(here);
    expect(new Set(before)).toEqual(new Set(['a', 'b', 'c']));
    expect(await routes(there)).toEqual(before);
    await processes[0]!.close();
    const after = await routes(here);
    expect(new Set(after)).toEqual(new Set(['b', 'c']));
    expect(after.filter((_, i) => before[i] !== 'a')).toEqual(before.filter((name) => name !== 'a'));
    expect(here.ownerOf(() => texts[0]!)).toBe(processes.find((_, i) => 'abc'[i] === after[0])!.address);
  });

  it('is not computed for one replica', async () => {
    const replicas = await replicasOf([await start('a')]);
    expect(
      replicas.ownerOf(() => {
        throw new Error('not needed');
      }),
    ).toBe('');
  });
});

describe('the replicas of a service', () => {
  it('follow the addresses of its name, and calls under way end at their replica', async () => {
    const answer = Promise.withResolvers<{ text: string }>();
    const first = await start('first', { say: () => answer.promise });
    const ips = ['127.0.0.1'];
    const changes: (readonly string[])[] = [];
    const replicas = await openReplicas(`registry:${first.port}`, {
      access: testAccess,
      resolve: async () => [...ips],
      changed: (names) => changes.push(names),
    });
    closers.push(() => replicas.close());
    const reply = echoAt(replicas).say({ text: 'a' });
    while (first.received.length === 0) await delay(1);
    ips.splice(0, 1, '127.0.0.2', '127.0.0.3');
    await replicas.refresh();
    expect(replicas.all.map(({ name }) => name)).toEqual([`127.0.0.2:${first.port}`, `127.0.0.3:${first.port}`]);
    answer.resolve({ text: 'done' });
    expect(await reply).toEqual({ text: 'done' });
    ips.splice(0);
    await replicas.refresh();
    expect(replicas.all).toHaveLength(2);
    expect(changes).toEqual([[`127.0.0.1:${first.port}`], [`127.0.0.2:${first.port}`, `127.0.0.3:${first.port}`]]);
  });

  it('can be called one by one', async () => {
    const replicas = await replicasOf([await start('a'), await start('b')]);
    const each = await everyReplica<Echo>(echoDefinition, replicas);
    const answers = await Promise.all(each.map(({ service }) => service.say({ text: '' })));
    expect(answers.map(({ text }) => text).sort()).toEqual(['a', 'b']);
  });

  it('are reachable as long as one of them is', async () => {
    const [first, second] = [await start('a'), await start('b')];
    const replicas = await connectedTo([first, second]);
    await first.close();
    await replicas.reachable();
    await second.close();
    await expect(replicas.reachable()).rejects.toThrow();
  });
});
