import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type MailEnd, SmtpSession, type Transaction } from './smtp-session.ts';

/** Late enough for everything that a test waits for. */
const muchLater = (): number => performance.now() + 600_000;

describe('a session with a mail server', () => {
  let server: Server;
  let client: Socket;
  /** Replies to the command that ends with the key; the others get none. */
  let replies: Record<string, string>;
  let session: SmtpSession;
  let closed: boolean;

  beforeEach(async () => {
    closed = false;
    replies = { EHLO: '250 mx', MAIL: '250 ok', RCPT: '250 ok', DATA: '354 go on' };
    server = createServer((socket) => {
      client = socket;
      socket.on('error', () => undefined);
      socket.setEncoding('latin1').on('data', (text: string) => {
        const reply = replies[text.slice(0, 4).toUpperCase()];
        if (reply !== undefined) socket.write(`${reply}\r\n`);
      });
      socket.write('220 mx\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const opened = Promise.withResolvers<void>();
    session = new SmtpSession(
      { host: '127.0.0.1', port: (server.address() as AddressInfo).port, ignoreTLS: true },
      undefined,
      { opened: opened.resolve, idle: () => undefined, closed: () => void (closed = true) },
    );
    await opened.promise;
  });

  afterEach(async () => {
    session.destroy();
    client.destroy();
    await once(server.close(), 'close');
  });

  const send = (times: Pick<Transaction, 'deadline' | 'replyBy'>): Promise<MailEnd> =>
    new Promise((resolve) =>
      session.send({
        from: 'shop@example.com',
        to: 'anna@example.com',
        mail: Buffer.from('Hello'),
        ...times,
        mayGo: () => true,
        ended: resolve,
      }),
    );

  const untilSlow = async (): Promise<void> => {
    while (!session.isSlow && !closed) await delay(1);
  };

  it('waits for the reply to a mail beyond the deadline for writing it', async () => {
    // Long enough for a busy machine to reach the reply to the mail.
    const end = send({ deadline: performance.now() + 1_000, replyBy: muchLater() });
    await untilSlow();
    client.write('250 queued\r\n');
    expect(await end).toEqual({ is: 'accepted' });
    expect([session.isSlow, closed]).toEqual([false, false]);
  });

  it('gives up the reply in the end', async () => {
    const end = send({ deadline: performance.now() + 100, replyBy: performance.now() + 101 });
    expect(await end).toEqual({ is: 'late' });
    expect([session.isSlow, closed]).toEqual([false, true]);
  });

  it('does not wait beyond the deadline for a server that takes no mail', async () => {
    delete replies['RCPT'];
    expect(await send({ deadline: performance.now() + 100, replyBy: muchLater() })).toEqual({ is: 'noReply' });
    expect(closed).toBe(true);
  });
});
