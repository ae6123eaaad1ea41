import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@tidings/testing';
import { systemTimers } from '../../timers.ts';
import { MailServer, type Target } from './mail-server.ts';
import type { Transaction } from './smtp-session.ts';

const SESSIONS = 20;

describe('the sessions with a mail server', () => {
  let server: Server;
  let sockets: Socket[];
  let mails: MailServer;
  let failures: number;

  beforeEach(async () => {
    [sockets, failures] = [[], 0];
    // Only EHLO is replied to.
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.setEncoding('latin1').on('data', (text: string) => {
        if (text.startsWith('EHLO')) socket.write('250-mx\r\n250 AUTH PLAIN\r\n');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    mails = new MailServer({
      target: async () => ({ host: '127.0.0.1', port, ignoreTLS: true }),
      sessions: SESSIONS,
      timers: systemTimers,
      onFailure: () => void failures++,
    });
  });

  afterEach(async () => {
    mails.close();
    for (const socket of sockets) socket.destroy();
    await once(server.close(), 'close');
  });

  const mail = (): Transaction => ({
    from: 'shop@example.com',
    to: 'anna@example.com',
    mail: Buffer.from('Hello'),
    deadline: performance.now() + 600_000,
    replyBy: performance.now() + 600_000,
    mayFlush: () => true,
    ended: () => undefined,
  });

  it.each([
    ['a greeting', '220-mx\r\n', false],
    ['a line', 'x', false],
    ['empty lines', '\r\n', true],
  ])('end when the server sends %s without end, and that is a failure', async (_, text, isGreeted) => {
    mails.ready();
    await until(() => sockets.length === 1);
    if (isGreeted) {
      sockets[0]!.write('220 mx\r\n');
      await until(() => mails.isOpen);
    }
    sockets[0]!.write(text.repeat(100_000));
    await until(() => failures === 1);
    expect([mails.size, mails.failure.name]).toEqual([0, 'flooded']);
  });

  it('open one after the other, and then as many at a time as the limit', async () => {
    let left = 100;
    const write = (): void => {
      for (; left > 0 && mails.ready(); left--) mails.send(mail());
      if (left > 0 && mails.downUntil() === 0) mails.whenReady(write);
    };
    write();
    for (const [greeted, open] of [
      [0, 1],
      [1, 2],
      [2, 4],
      [4, 8],
      [8, 16],
      [16, SESSIONS],
    ] as const) {
      await until(() => sockets.length >= open);
      expect(sockets).toHaveLength(open);
      for (const socket of sockets.slice(greeted)) socket.write('220 mx\r\n');
    }
    await until(() => left === 100 - SESSIONS);
    expect([left, mails.size]).toEqual([100 - SESSIONS, SESSIONS]);
  });

  const opened = (): Promise<void> =>
    new Promise((resolve) => {
      mails.ready();
      mails.whenReady(resolve);
    });

  it('are refused by the last attempt only: the next one may find no server', async () => {
    const { port } = server.address() as AddressInfo;
    const targets = [
      async (): Promise<Target> => ({ host: '127.0.0.1', port, ignoreTLS: true }),
      async (): Promise<Target> => Promise.reject(Object.assign(new Error('down'), { code: 'ECONNREFUSED' })),
    ];
    let now = 0;
    mails = new MailServer({
      target: () => targets.shift()!(),
      login: { user: 'user', pass: 'secret' },
      sessions: SESSIONS,
      onFailure: () => undefined,
      timers: { ...systemTimers, now: () => now },
    });
    const refused = opened();
    await until(() => sockets.length > 0);
    sockets[0]!.on('data', (text: string) => {
      if (text.startsWith('AUTH')) sockets[0]!.write('535 5.7.8 no\r\n');
    });
    sockets[0]!.write('220 mx\r\n');
    await refused;
    expect(mails.refused).toMatchObject({ category: 'INVALID_CONFIGURATION', code: '535' });
    now += 60_000;
    await opened();
    expect([mails.refused, mails.failure.name]).toEqual([undefined, 'connection_refused']);
  });

  it('are awaited for a limited time if no name server answers', async () => {
    const due: (() => void)[] = [];
    mails = new MailServer({
      target: () => new Promise(() => undefined),
      sessions: SESSIONS,
      onFailure: () => undefined,
      timers: { now: () => 0, wall: () => 0, after: (_, run) => (due.push(run), () => undefined) },
    });
    const over = opened();
    expect(mails.size).toBe(1);
    for (const run of due) run();
    await over;
    expect([mails.size, mails.failure.name]).toEqual([0, 'dns_failed']);
  });

  it('end with the dispatcher during their opening, which is no failure of the server', async () => {
    mails.ready();
    await until(() => sockets.length > 0);
    mails.close();
    await until(() => sockets[0]!.destroyed);
    expect([sockets[0]!.destroyed, mails.size, failures]).toEqual([true, 0, 0]);
  });
});
