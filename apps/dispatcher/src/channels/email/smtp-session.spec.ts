import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type SessionError, SmtpSession } from './smtp-session.ts';

const SECOND_MS = 1_000;

describe('a session with a server that stops replying', () => {
  let server: Server;
  let sockets: Socket[];
  let replies: Readonly<Record<string, string>>;
  let received: PromiseWithResolvers<void>;
  let awaited: string;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    sockets = [];
    received = Promise.withResolvers();
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write('220 mx\r\n');
      socket.setEncoding('latin1').on('data', (text: string) => {
        const command = /^[A-Z]+/.exec(text)![0];
        if (replies[command]) socket.write(`${replies[command]}\r\n`);
        if (command === awaited) received.resolve();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    jest.useRealTimers();
    for (const socket of sockets) socket.destroy();
    await once(server.close(), 'close');
  });

  function open(login?: { user: string; pass: string }) {
    const opened = Promise.withResolvers<void>();
    const errors: (SessionError | undefined)[] = [];
    const { port } = server.address() as AddressInfo;
    const session = new SmtpSession({ host: '127.0.0.1', port, ignoreTLS: true }, login, {
      opened: () => opened.resolve(),
      closed: (error) => void errors.push(error),
      idle: () => undefined,
    });
    return { session, opened: opened.promise, errors };
  }

  it('ends when it has not opened in a minute', async () => {
    replies = { EHLO: '250-mx\r\n250 AUTH PLAIN' };
    awaited = 'AUTH';
    const { errors } = open({ user: 'user', pass: 'secret' });
    await received.promise;
    jest.advanceTimersByTime(59 * SECOND_MS);
    expect(errors).toEqual([]);
    jest.advanceTimersByTime(SECOND_MS);
    expect(errors).toEqual([new Error('no reply within 60000 ms')]);
  });

  it('ends when a refused mail is not reset in half a minute', async () => {
    replies = { EHLO: '250 mx', MAIL: '250 ok', RCPT: '550 5.1.1 no such user' };
    awaited = 'RSET';
    const { session, opened, errors } = open();
    await opened;
    const ended = jest.fn();
    session.send({
      from: 'shop@example.com',
      to: 'anna@example.com',
      mail: Buffer.from('Hello'),
      deadline: performance.now() + 600 * SECOND_MS,
      replyBy: performance.now() + 600 * SECOND_MS,
      mayFlush: () => true,
      ended,
    });
    await received.promise;
    expect(ended.mock.calls).toEqual([[expect.objectContaining({ is: 'refused', stage: 'recipient', status: 550 })]]);
    jest.advanceTimersByTime(29 * SECOND_MS);
    expect(errors).toEqual([]);
    jest.advanceTimersByTime(SECOND_MS);
    expect(errors).toEqual([new Error('no reply within 30000 ms')]);
  });
});
