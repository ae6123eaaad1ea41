import type { Socket } from 'node:net';
import { Attempts, type Refusal, type Scene, sceneOf } from '../behaviour.ts';
import type { ProviderLedger } from '../ledger/provider-ledger.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED } from '../ledger/entries.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import type { SocketProvider } from '../provider.ts';
import { Outbox } from '../transport/outbox.ts';
import { isMailReply, parseMailAddress } from './mail-addresses.ts';

export interface SmtpDeps {
  readonly ledger: Ledger;
  readonly faults: Faults;
}

const SIZE_MAX = 10 * 1024 * 1024;
export const REFUSED_USER = 'refused';

export const mailIdOf = (row: number): string => `mail-${row}`;

const replies: Readonly<Record<Exclude<Refusal, 'reason'>, string>> = {
  dead: '550 5.1.1 no such mailbox',
  badToken: '553 5.1.3 not an address',
  throttled: '451 4.7.1 greylisted',
  unavailable: '421 4.3.2 closing',
  serverError: '451 4.3.0 mail system error',
  payloadRefused: '554 5.6.0 content refused',
  wrongTopic: '550 5.7.1 refused by policy',
  expiredAuth: '530 5.7.0 login required',
};

interface Recipient {
  readonly address: string;
  readonly scene: Scene;
}

const accept: Scene = { does: 'accept' };

const addressIn = (argument: string): string => /<([^>]*)>/.exec(argument)?.[1] ?? '';

/** The Message-ID up to the token. */
const hashIn = (mail: Buffer): string => /^message-id: <([^@>.\r\n]*)/im.exec(mail.toString('latin1'))?.[1] ?? '';

/** Refuses recipients by their addresses (RFC 5321). */
export class Smtp implements SocketProvider {
  readonly name = 'email';
  readonly #deps: SmtpDeps;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #attempts = new Attempts();
  /** Replies wait here while the server is slow or silent. */
  readonly outbox: Outbox;

  constructor(deps: SmtpDeps) {
    this.#deps = deps;
    this.#faults = deps.faults.of('email');
    this.outbox = new Outbox(this.#faults);
  }

  accept(socket: Socket): void {
    const session = new SmtpSession({
      socket,
      faults: this.#faults,
      outbox: this.outbox,
      ledger: () => this.#deps.ledger.of('email'),
      sceneOf: (address) => this.#sceneOf(address),
    });
    session.begin();
  }

  reset(): void {
    this.#attempts.clear();
  }

  #sceneOf(address: string): Scene {
    const parsed = parseMailAddress(address);
    return parsed ? sceneOf({ ...parsed, token: address, credential: '' }, this.#attempts) : accept;
  }
}

interface SessionDeps {
  readonly socket: Socket;
  readonly faults: Readonly<ProviderFaults>;
  readonly outbox: Outbox;
  readonly ledger: () => ProviderLedger;
  readonly sceneOf: (address: string) => Scene;
}

/** Handles commands in order, also pipelined ones. */
class SmtpSession {
  readonly #deps: SessionDeps;
  #input = Buffer.alloc(0);
  #reading: 'commands' | 'mail' | 'login' | 'nothing' = 'commands';
  #recipients: Recipient[] = [];
  #mails = 0;
  #sender = '';

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  begin(): void {
    const { socket } = this.#deps;
    socket.on('data', (chunk: Buffer) => {
      this.#input = Buffer.concat([this.#input, chunk]);
      this.#read();
    });
    this.#reply('220 mail.example ready');
  }

  #read(): void {
    while (this.#reading !== 'nothing') {
      const end = this.#input.indexOf(this.#reading === 'mail' ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const whole = this.#input.subarray(0, end);
      const { length } = this.#reading === 'mail' ? '\r\n.\r\n' : '\r\n';
      this.#input = this.#input.subarray(end + length);
      if (this.#reading === 'mail') this.#mail(Buffer.from(`${whole.toString('latin1')}\r\n`, 'latin1'));
      else if (this.#reading === 'login') this.#login(whole.toString('latin1'));
      else this.#command(whole.toString('latin1'));
    }
  }

  #command(line: string): void {
    const [verb = ''] = line.split(' ');
    const argument = line.slice(verb.length + 1);
    switch (verb.toUpperCase()) {
      case 'EHLO':
        this.#reply(
          ['250-mail.example', `250-SIZE ${SIZE_MAX}`, '250-PIPELINING', '250-AUTH PLAIN', '250 8BITMIME'].join('\r\n'),
        );
        break;
      case 'AUTH':
        this.#login(argument.replace(/^PLAIN ?/i, ''));
        break;
      case 'MAIL':
        this.#begin(addressIn(argument));
        break;
      case 'RCPT':
        this.#recipient(addressIn(argument));
        break;
      case 'DATA':
        this.#data();
        break;
      case 'RSET':
        this.#recipients = [];
        this.#reply('250 2.0.0 reset');
        break;
      case 'QUIT':
        this.#reply('221 2.0.0 bye');
        this.#deps.socket.end();
        break;
      default:
        this.#reply('500 5.5.1 unknown command');
    }
  }

  #login(credentials: string): void {
    const user = Buffer.from(credentials, 'base64').toString().split('\0')[1];
    this.#reading = 'commands';
    this.#reply(user === REFUSED_USER ? '535 5.7.8 login refused' : '235 2.7.0 welcome');
  }

  #begin(sender: string): void {
    const { faults, ledger, socket } = this.#deps;
    this.#sender = sender;
    this.#recipients = [];
    this.#mails++;
    if (faults.resetEvery > 0 && this.#mails % faults.resetEvery === 0) {
      ledger().count('resetUnread');
      this.#reading = 'nothing';
      socket.resetAndDestroy();
    } else this.#reply('250 2.1.0 sender accepted');
  }

  #recipient(address: string): void {
    const { answer } = this.#deps.faults;
    if (answer !== null) {
      this.#refuse(address, isMailReply(answer) ? answer : replies.serverError);
      return;
    }
    const scene = this.#deps.sceneOf(address);
    switch (scene.does) {
      case 'vanish':
        this.#record(address, 0, scene.how);
        this.#reading = 'nothing';
        if (scene.how === 'goaway') this.#deps.socket.end();
        else if (scene.how !== 'silence') this.#deps.socket.resetAndDestroy();
        break;
      case 'garble':
        this.#record(address, 0, 'garbled');
        this.#reply('no reply of SMTP');
        break;
      case 'refuse':
        if (scene.as !== 'payloadRefused') {
          this.#refuse(address, scene.as === 'reason' ? parseMailAddress(address)!.reply : replies[scene.as]);
          break;
        }
        this.#expect({ address, scene });
        break;
      case 'accept':
        this.#expect({ address, scene });
    }
  }

  #expect(recipient: Recipient): void {
    this.#recipients.push(recipient);
    this.#reply('250 2.1.5 recipient accepted');
  }

  #refuse(address: string, reply: string): void {
    this.#record(address, Number(reply.slice(0, 3)), reply.slice(4));
    this.#reply(reply);
    if (!reply.startsWith('421')) return;
    this.#reading = 'nothing';
    this.#deps.outbox.post(0, () => this.#deps.socket.end());
  }

  #data(): void {
    if (this.#recipients.length === 0) {
      this.#reply('554 5.5.1 no valid recipients');
      return;
    }
    this.#reading = 'mail';
    this.#reply('354 go on');
  }

  #mail(raw: Buffer): void {
    // Servers note the envelope sender when they deliver (RFC 5321).
    const traced = `Return-Path: <${this.#sender}>\r\n${raw.toString('latin1').replace(/^\.\./gm, '.')}`;
    const mail = Buffer.from(traced, 'latin1');
    const recipients = this.#recipients;
    this.#recipients = [];
    this.#reading = 'commands';
    const [first] = recipients;
    if (first?.scene.does === 'refuse') {
      const reply = replies.payloadRefused;
      this.#record(first.address, Number(reply.slice(0, 3)), reply.slice(4), mail);
      this.#reply(reply);
      return;
    }
    for (const { address } of recipients) this.#record(address, 250, ACCEPTED, mail);
    if (first) this.#accepted(first.scene);
  }

  #accepted(scene: Scene): void {
    const { faults, outbox, socket } = this.#deps;
    if (scene.does !== 'accept') return;
    if (scene.loseReply === true) {
      this.#reading = 'nothing';
      socket.resetAndDestroy();
      return;
    }
    this.#reply('250 2.0.0 queued', scene.delayMs);
    const ends = scene.goaway === true || (faults.goawayEvery > 0 && this.#mails % faults.goawayEvery === 0);
    if (ends) outbox.post(scene.delayMs ?? 0, () => socket.end());
  }

  #record(address: string, status: number, reason: string, mail: Buffer = Buffer.alloc(0)): void {
    this.#deps
      .ledger()
      .record({ token: address, hash: hashIn(mail), collapseId: '', id: '', payload: mail }, status, reason);
  }

  #reply(text: string, delayMs = 0): void {
    const { outbox, socket } = this.#deps;
    const send = (): void => {
      if (!socket.destroyed) socket.write(`${text}\r\n`);
    };
    if (delayMs === 0 && outbox.isClear) send();
    else outbox.post(delayMs, send);
  }
}
