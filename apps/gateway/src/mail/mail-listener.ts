import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { MAIL_READ_BYTES } from '@tidings/channels';
import { Fault } from '@tidings/kernel';
import { type Logger, withVariableName } from '@tidings/runtime';
import { counterIn, floodedConnections } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import type { SMTPServer, SMTPServerDataStream } from 'smtp-server';
import { boundedReplies } from './bounded-replies.ts';
import { connectionShares, type CountedConnection, requireFirstByte } from '../limits/connection-shares.ts';
import type { ClientAddresses } from '../http/client-address.ts';
import type { IncomingRecipient, Intake, MailIntake } from './mail-intake.ts';

export interface MailListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly domain: string;
}

export interface MailListenerDeps {
  readonly intake: MailIntake;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly clients: Pick<ClientAddresses, 'isProxy'>;
}

/** A report may contain a mail with attachments of 2 MiB (R-E10). */
const MAIL_BYTES = 4 * 1024 * 1024;
/** Each may make the server hold a mail. */
const CLIENTS = 64;
const RECIPIENTS = 10;
const IDLE_MS = 60_000;
const CONNECTION_MS = 600_000;
const CLOSE_MS = 2_000;

class Refusal extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
}

const refusals = {
  recipient: new Refusal(550, '5.1.1 No such address'),
  crowded: new Refusal(421, '4.7.0 Too many connections from your address'),
  content: new Refusal(550, '5.6.0 This address takes feedback reports only'),
  unavailable: new Refusal(451, '4.3.0 Try again later'),
} as const;

const REPORTS = ['bounced', 'complained'] as const satisfies readonly Intake[];

type Callback = (error?: Error | null) => void;

/** The server refuses a too large mail only at its end. */
async function beginningOf(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (length >= MAIL_READ_BYTES) continue;
    chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, MAIL_READ_BYTES);
}

/** Accepts a mail once its report is durable, else answers 451. No login or encryption: reports hold no secrets (R-E18). */
export class MailListener {
  readonly #options: MailListenerOptions;
  readonly #deps: MailListenerDeps;
  readonly #count: (kind: Intake | 'tooLarge') => void;
  readonly #countRefused: (reason: keyof typeof refusals) => void;
  #server: SMTPServer | undefined;

  constructor(options: MailListenerOptions, deps: MailListenerDeps) {
    this.#options = options;
    this.#deps = deps;
    const mails = counterIn(deps.metrics, {
      name: 'tidings_incoming_mails_total',
      help: 'Mails that came to the domain of return paths, by what they report',
      labels: ['kind'],
    });
    const refused = counterIn(deps.metrics, {
      name: 'tidings_incoming_mail_refusals_total',
      help: 'Recipients and mails that were refused',
      labels: ['reason'],
    });
    // Alerts need an initial 0.
    for (const kind of REPORTS) mails.inc({ kind }, 0);
    for (const reason of Object.keys(refusals)) refused.inc({ reason }, 0);
    this.#count = (kind) => mails.inc({ kind });
    this.#countRefused = (reason) => refused.inc({ reason });
  }

  get port(): number {
    if (!this.#server) throw Fault.bug('the server of incoming mail does not listen');
    return (this.#server.server.address() as AddressInfo).port;
  }

  async listen(): Promise<void> {
    const { host, port, domain } = this.#options;
    const { default: smtp } = await import('smtp-server');
    const { log, clients } = this.#deps;
    const isProxy = (address: string): boolean => clients.isProxy(address);
    const shares = connectionShares({ connections: CLIENTS, protocol: 'incoming mail', isProxy, log });
    const open = new Map<string, CountedConnection>();
    const server = new smtp.SMTPServer({
      name: domain,
      banner: 'Tidings',
      heloResponse: '%s',
      logger: false,
      disableReverseLookup: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      authOptional: true,
      size: MAIL_BYTES,
      rejectOversized: true,
      maxClients: CLIENTS,
      maxRecipients: RECIPIENTS,
      socketTimeout: IDLE_MS,
      closeTimeout: CLOSE_MS,
      onConnect: ({ id, remoteAddress }, callback) => {
        const connection = shares.open(remoteAddress);
        if (connection) open.set(id, connection);
        else this.#countRefused('crowded');
        callback(connection ? undefined : refusals.crowded);
      },
      onClose: ({ id }) => {
        open.get(id)?.close();
        open.delete(id);
      },
      onRcptTo: ({ address }, _session, callback) => this.#recipient(address, callback),
      onData: (stream, { id, envelope: { rcptTo } }, callback) => {
        open.get(id)?.begin();
        this.#take(
          rcptTo.map(({ address }) => address),
          stream,
        )
          .finally(() => open.get(id)?.end())
          .then(() => callback(), callback);
      },
    });
    server.server.on('connection', endAfter(CONNECTION_MS));
    server.server.on('connection', boundedReplies(floodedConnections(this.#deps.metrics, 'smtp')));
    server.server.on('connection', requireFirstByte);
    // Without a listener a reset connection would end the process.
    server.on('error', (error) => this.#deps.log.debug({ err: error }, 'connection of incoming mail failed'));
    try {
      await once(server.listen(port, host), 'listening');
    } catch (error) {
      withVariableName({ variable: 'SMTP_LISTEN_PORT', port, host })(error as Error);
    }
    this.#server = server;
    this.#deps.log.info({ port: this.port }, 'incoming mail is served');
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    await new Promise<void>((resolve) => server.close(resolve));
  }

  #recipient(address: string, callback: Callback): void {
    const recipient = this.#resolveRecipient(address);
    if (recipient === 'recipient' || recipient === 'unavailable') {
      this.#countRefused(recipient);
      callback(refusals[recipient]);
    } else callback();
  }

  #resolveRecipient(address: string): IncomingRecipient | 'recipient' | 'unavailable' {
    try {
      return this.#deps.intake.recipientOf(address) ?? 'recipient';
    } catch (error) {
      this.#deps.log.debug({ err: error }, 'recipients of incoming mail cannot be checked yet');
      return 'unavailable';
    }
  }

  async #take(addresses: readonly string[], stream: SMTPServerDataStream): Promise<void> {
    const bytes = await beginningOf(stream);
    if (stream.sizeExceeded) {
      this.#count('tooLarge');
      return;
    }
    const recipients = addresses
      .map((address) => this.#resolveRecipient(address))
      .filter((resolved) => typeof resolved !== 'string');
    const kind = await this.#intake(recipients, bytes);
    this.#count(kind);
    if (kind !== 'misdirected') return;
    this.#countRefused('content');
    throw refusals.content;
  }

  async #intake(recipients: readonly IncomingRecipient[], bytes: Buffer): Promise<Intake> {
    try {
      return await this.#deps.intake.take(recipients, bytes);
    } catch (error) {
      this.#countRefused('unavailable');
      const isExpected = error instanceof Fault && error.kind === 'unavailable';
      this.#deps.log[isExpected ? 'warn' : 'error']({ err: error }, 'incoming mail could not be reported');
      throw refusals.unavailable;
    }
  }
}

/** Slow clients must not keep others out. */
const endAfter =
  (ms: number) =>
  (socket: Socket): void => {
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.once('close', () => clearTimeout(timer));
  };
