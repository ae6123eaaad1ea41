import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answerTo, Command, encodePdu, PduReader, Status, submitPdu } from '@tidings/channels';
import { type Exchange, isFlood, type Link } from '@tidings/http2';
import { openSmppLink } from './smpp-link.ts';

interface Received {
  readonly command: number;
  readonly sequence: number;
}

type End = string;

const HEAD = Buffer.from('\0\0\0Shop\0', 'latin1');
const submission = (): Uint8Array =>
  submitPdu({ head: HEAD, to: '+4917', dataCoding: 0, header: undefined, userData: Buffer.from('Hello') });

describe('a bind with an SMSC', () => {
  let server: Server;
  let smsc: Socket;
  let received: Received[];
  let onCommand: (command: number) => void;
  let link: Link;
  let closed: Promise<void>;
  let failure: Error | undefined;
  let isDraining: boolean;
  let answersDeliveries: boolean;

  beforeEach(async () => {
    received = [];
    isDraining = false;
    answersDeliveries = true;
    onCommand = () => undefined;
    const bound = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    closed = ended.promise;
    server = createServer((socket) => {
      smsc = socket;
      const reader = new PduReader();
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) =>
        reader.read(chunk, (command, _status, sequence) => {
          if (command === Command.bindTransceiver) socket.write(encodePdu(answerTo(command), sequence));
          else received.push({ command, sequence });
          onCommand(command);
          return true;
        }),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const open = openSmppLink({
      systemId: 'user',
      password: 'secret',
      bound: () => undefined,
      received: (_, bind, sequence) => {
        if (answersDeliveries) bind.answerDelivery(sequence, Status.ok);
      },
    });
    link = open(
      { url: `smpp://127.0.0.1:${(server.address() as AddressInfo).port}` },
      {
        opened: bound.resolve,
        closed: (error) => {
          failure = error;
          ended.resolve();
        },
        room: () => undefined,
        draining: () => (isDraining = true),
      },
    );
    await bound.promise;
  });

  afterEach(async () => {
    link.destroy();
    smsc.destroy();
    await once(server.close(), 'close');
  });

  const submit = (mayFlush: () => boolean = () => true): Promise<End> =>
    new Promise((resolve) => {
      const exchange: Exchange = {
        deadline: Infinity,
        mayFlush,
        answered: (status, _, id) => resolve(`${status} ${id}`),
        failed: resolve,
      };
      expect(link.request({ path: '', shared: [], own: [] }, submission(), exchange)).toBe(true);
    });

  const numbersOf = (command: number, count: number): Promise<number[]> =>
    new Promise((resolve) => {
      const check = (): void => {
        const found = received.filter((each) => each.command === command).map(({ sequence }) => sequence);
        if (found.length >= count) resolve(found);
      };
      onCommand = check;
      check();
    });

  const answer = (sequence: number, status: number, id = ''): boolean =>
    smsc.write(encodePdu(answerTo(Command.submitSm), sequence, Buffer.from(`${id}\0`), status));

  it('assigns each message its answer, in whatever order they arrive', async () => {
    const ends = [submit(), submit(), submit()];
    const [first, second, third] = await numbersOf(Command.submitSm, 3);
    answer(third!, 0, 'c');
    answer(first!, 0x0b);
    answer(second!, 0, 'b');
    expect(await Promise.all(ends)).toEqual(['11 ', '0 b', '0 c']);
  });

  it('writes nothing after the end of its permission within the turn', async () => {
    let alive = true;
    const withdrawn = [submit(() => alive), submit(() => alive)];
    const other = submit();
    alive = false;
    expect(await Promise.all(withdrawn)).toEqual(['unprocessed', 'unprocessed']);
    const [sequence] = await numbersOf(Command.submitSm, 1);
    answer(sequence!, 0, 'a');
    expect(await other).toBe('0 a');
    expect(received).toHaveLength(1);
  });

  it('repeats messages that were not written before its end, and leaves the others in doubt', async () => {
    const written = submit();
    await numbersOf(Command.submitSm, 1);
    const unwritten = submit();
    link.destroy();
    expect(await Promise.all([written, unwritten])).toEqual(['lost', 'unprocessed']);
    await closed;
  });

  it('awaits the answers to messages before an unbind, and repeats later ones', async () => {
    const ends = [submit(), submit()];
    const [taken, late] = await numbersOf(Command.submitSm, 2);
    smsc.write(encodePdu(Command.unbind, 1));
    answer(late!, Status.notBound);
    answer(taken!, 0, 'a');
    expect(await Promise.all(ends)).toEqual(['0 a', 'unprocessed']);
    await numbersOf(answerTo(Command.unbind), 1);
    expect(link.ready()).toBe(false);
  });

  it('closes the connection of a bind that the SMSC has ended, also if the SMSC does not', async () => {
    smsc.write(encodePdu(Command.unbind, 1));
    await closed;
    expect(received.map(({ command }) => command)).toEqual([answerTo(Command.unbind)]);
  });

  it('writes few messages until the SMSC answers one, and then as many as usual', async () => {
    const ends = Array.from({ length: 10 }, () => submit());
    expect(link.ready()).toBe(false);
    const [first] = await numbersOf(Command.submitSm, 10);
    answer(first!, 0, 'a');
    expect(await Promise.race(ends)).toBe('0 a');
    expect(link.ready()).toBe(true);
    expect(link.proven).toBe(true);
  });

  it('is closed when the SMSC has answered no message in time', async () => {
    expect(link.proven).toBe(false);
    const silent = submit();
    await numbersOf(Command.submitSm, 1);
    link.expire(Infinity);
    expect(await silent).toBe('timeout');
    expect([isDraining, link.ready()]).toEqual([true, false]);
    const [sequence] = await numbersOf(Command.unbind, 1);
    smsc.write(encodePdu(answerTo(Command.unbind), sequence!));
    await closed;
  });

  it.each([
    ['enquire_link', Command.enquireLink],
    ['unknown commands', 0x77],
    ['messages', Command.deliverSm],
  ])('is closed when the SMSC sends %s without reading the answers', async (_, command) => {
    smsc.pause();
    const pdus = Buffer.concat(
      Array.from({ length: 10_000 }, (_pdu, i) => encodePdu(command, i + 1, Buffer.alloc(20))),
    );
    const pump = (): void => {
      while (!smsc.destroyed && smsc.write(pdus));
    };
    smsc.on('drain', pump);
    pump();
    await closed;
    expect(isFlood(failure)).toBe(true);
  });

  it('is closed when the SMSC sends messages without waiting for answers', async () => {
    answersDeliveries = false;
    smsc.write(
      Buffer.concat(Array.from({ length: 10_001 }, (_, i) => encodePdu(Command.deliverSm, i + 1, Buffer.alloc(20)))),
    );
    await closed;
    expect(isFlood(failure)).toBe(true);
  });

  it('does not prove an SMSC that ends it at once', async () => {
    smsc.write(encodePdu(Command.unbind, 1));
    await closed;
    expect(link.proven).toBe(false);
  });

  it('ends an abandoned bind when the last message is answered, or its time is over', async () => {
    const [answered, silent] = [submit(), submit()];
    const [first] = await numbersOf(Command.submitSm, 2);
    link.drain();
    answer(first!, 0, 'a');
    expect(await answered).toBe('0 a');
    link.expire(Infinity);
    expect(await silent).toBe('timeout');
    const [sequence] = await numbersOf(Command.unbind, 1);
    smsc.write(encodePdu(answerTo(Command.unbind), sequence!));
    await closed;
  });
});
