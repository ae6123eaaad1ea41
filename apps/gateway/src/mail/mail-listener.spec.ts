import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAIL_READ_BYTES } from '@tidings/channels';
import { Fault } from '@tidings/kernel';
import { openLog } from '@tidings/runtime';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import type { Intake, MailIntake } from './mail-intake.ts';
import { MailListener } from './mail-listener.ts';

class Client {
  readonly socket: Socket;
  #text = '';

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.setEncoding('latin1').on('data', (text: string) => (this.#text += text));
  }

  async reply(): Promise<string> {
    for (;;) {
      const found = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#text);
      if (found) {
        this.#text = this.#text.slice(found[0].length);
        return found[0];
      }
      if (this.socket.closed) return '';
      await delay(1);
    }
  }

  async say(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  async codes(...lines: readonly string[]): Promise<number[]> {
    const codes: number[] = [];
    for (const line of lines) codes.push(Number.parseInt(await this.say(line), 10));
    return codes;
  }
}

const isProxy = (): boolean => false;

const START = ['EHLO mx.example', 'MAIL FROM:<>', 'RCPT TO:<known@bounces.example>'] as const;

describe('the server of incoming mail', () => {
  let listener: MailListener;
  let metrics: Registry;
  let taken: string[];
  let result: () => Promise<Intake>;
  let client: Client;

  beforeEach(async () => {
    [taken, metrics, result] = [[], new Registry(), async () => 'bounced'];
    const intake: MailIntake = {
      recipientOf(address) {
        if (address.startsWith('early@')) throw Fault.unavailable('keys are not known yet');
        return /^(known@|postmaster$)/i.test(address) ? { is: 'feedback' } : undefined;
      },
      async take(recipients, bytes) {
        taken.push(`${recipients.length} ${bytes.toString('latin1')}`);
        return result();
      },
      open: () => 0,
    };
    const options = { host: '127.0.0.1', port: 0, domain: 'bounces.example' };
    listener = new MailListener(options, { intake, log: openLog('silent'), metrics, clients: { isProxy } });
    await listener.listen();
    client = new Client(listener.port);
    expect(await client.reply()).toMatch(/^220 bounces\.example /);
  });

  afterEach(async () => {
    client.socket.destroy();
    await listener.close();
  });

  const counted = async (name: string): Promise<Record<string, number>> => {
    const { values } = await metrics.getSingleMetric(name)!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(Object.values(labels)[0]), value]));
  };

  const untilCounted = async (name: string, count: number): Promise<void> => {
    while ((await counted(name))['smtp'] !== count) await delay(1);
  };

  it('accepts mail for known recipients, several in a session, and offers no login', async () => {
    expect(await client.say(START[0])).not.toMatch(/AUTH|STARTTLS/);
    expect(await client.codes(...START.slice(1), 'RCPT TO:<other@bounces.example>', 'DATA')).toEqual([
      250, 250, 550, 354,
    ]);
    expect(await client.codes('one\r\n..two\r\n.', 'MAIL FROM:<a@b.example>', START[2], 'DATA')).toEqual([
      250, 250, 250, 354,
    ]);
    expect(await client.codes('three\r\n.', 'AUTH PLAIN AGEAYg==', 'QUIT')).toEqual([250, 500, 221]);
    expect(taken).toEqual(['1 one\r\n.two\r\n', '1 three\r\n']);
    expect(await counted('tidings_incoming_mails_total')).toEqual({ bounced: 2, complained: 0 });
    expect(await counted('tidings_incoming_mail_refusals_total')).toEqual({
      recipient: 1,
      crowded: 0,
      content: 0,
      unavailable: 0,
    });
  });

  it('accepts mail for the postmaster without a domain (RFC 5321)', async () => {
    expect(await client.codes(...START.slice(0, 2), 'RCPT TO:<Postmaster>', 'DATA', 'one\r\n.')).toEqual([
      ...[250, 250, 250, 354, 250],
    ]);
    expect(taken).toEqual(['1 one\r\n']);
  });

  it('answers a temporary failure for mail that cannot be processed now', async () => {
    result = () => Promise.reject(Fault.unavailable('broker is down'));
    expect(await client.codes(...START, 'RCPT TO:<early@bounces.example>', 'DATA', 'one\r\n.')).toEqual([
      ...[250, 250, 250, 451, 354, 451],
    ]);
    expect(await counted('tidings_incoming_mail_refusals_total')).toEqual({
      recipient: 0,
      crowded: 0,
      content: 0,
      unavailable: 2,
    });
  });

  it('refuses unknown recipients, and mail that is too large', async () => {
    result = async () => 'misdirected';
    expect(await client.codes(...START, 'DATA', 'Hello\r\n.')).toEqual([250, 250, 250, 354, 550]);
    expect(await client.codes('MAIL FROM:<> SIZE=5000000')).toEqual([552]);
    expect(await client.codes(...START.slice(1), 'DATA')).toEqual([250, 250, 354]);
    expect(await client.codes(`${'a'.repeat(1022)}\r\n`.repeat(4200) + '.')).toEqual([552]);
    expect(taken).toHaveLength(1);
    expect(await counted('tidings_incoming_mails_total')).toEqual({
      bounced: 0,
      complained: 0,
      misdirected: 1,
      tooLarge: 1,
    });
  });

  it('accepts a report with the whole reported mail, and reads its beginning', async () => {
    expect(await client.codes(...START, 'DATA')).toEqual([250, 250, 250, 354]);
    expect(await client.codes(`${'a'.repeat(1022)}\r\n`.repeat(2500) + '.')).toEqual([250]);
    expect(taken.map(({ length }) => length)).toEqual(['1 '.length + MAIL_READ_BYTES]);
  });

  it('does not accept truncated mail, and serves the next session', async () => {
    expect(await client.codes(...START, 'DATA')).toEqual([250, 250, 250, 354]);
    client.socket.write('half a mail\r\n');
    client.socket.resetAndDestroy();
    client = new Client(listener.port);
    await client.reply();
    expect(await client.codes(...START, 'DATA', 'whole\r\n.')).toEqual([250, 250, 250, 354, 250]);
    expect(taken).toEqual(['1 whole\r\n']);
  });

  it('closes a connection with commands without end, read or not, and counts it', async () => {
    const [reading, deaf] = [new Client(listener.port), new Client(listener.port)];
    await Promise.all([reading.reply(), deaf.reply()]);
    deaf.socket.pause();
    for (const { socket } of [reading, deaf]) socket.write('EHLO mx.example\r\n'.repeat(2_000));
    await untilCounted('tidings_flooded_connections_total', 2);
    deaf.socket.destroy();
    expect(await client.codes(...START, 'DATA', 'Hello\r\n.')).toEqual([250, 250, 250, 354, 250]);
  });

  it('survives any input, and accepts only mail for known recipients', async () => {
    const words = [
      ...START,
      'DATA',
      'Hello',
      '.',
      'RSET',
      'QUIT',
      'BDAT 3',
      'AUTH LOGIN',
      'STARTTLS',
      'VRFY a',
      'HELO',
    ];
    const lines = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 30 })), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(lines, async (all) => {
        taken = [];
        const other = new Client(listener.port);
        other.socket.end(`${all.join('\r\n')}\r\nQUIT\r\n`, 'latin1');
        await once(other.socket, 'close');
        for (const mail of taken) expect(mail).toMatch(/^1 /);
      }),
      { numRuns: 50 },
    );
    expect(await client.codes(...START, 'DATA', 'Hello\r\n.')).toEqual([250, 250, 250, 354, 250]);
  });

  it('accepts half of its connections from one client', async () => {
    const others = Array.from({ length: 31 }, () => new Client(listener.port));
    for (const other of others) expect(await other.reply()).toMatch(/^220 /);
    const last = new Client(listener.port);
    expect(await last.reply()).toMatch(/^421 4\.7\.0 Too many connections/);
    expect(await counted('tidings_incoming_mail_refusals_total')).toMatchObject({ crowded: 1 });
    for (const other of [...others, last]) other.socket.destroy();
  });

  it('names a port that is in use', async () => {
    const options = { host: '127.0.0.1', port: listener.port, domain: 'bounces.example' };
    const other = new MailListener(options, {
      intake: { recipientOf: () => undefined, take: result, open: () => 0 },
      log: openLog('silent'),
      metrics,
      clients: { isProxy },
    });
    await expect(other.listen()).rejects.toThrow(`SMTP_LISTEN_PORT: ${listener.port} is in use`);
    await other.close();
  });
});
