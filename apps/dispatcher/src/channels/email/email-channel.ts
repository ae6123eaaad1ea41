import {
  asciiAddress,
  type ChannelPayload,
  connectionResults,
  definitions,
  directResults,
  domainOf,
  emailPayload,
  type Letter,
  type LetterLinks,
  localResults,
  MailLinks,
  mailOf,
  type MailSender,
  mailTokenKeyOf,
  mailTokens,
  relayResults,
  returnPathOf,
  sent,
  type SendResult,
  smtpResult,
  type MailDefaults,
  mailDefaultsOf,
  tooLargeForServer,
  writtenMail,
} from '@tidings/channels';
import { LATE_ANSWER_MS, tokenOf } from '@tidings/delivery';
import { Content } from '@tidings/events';
import { connectionFailureOf, type FailedOpening } from '@tidings/http2';
import { type Clock, Fault, type Seq, seqOf } from '@tidings/kernel';
import { linkKeyOf, type MessageKey, PayloadWriter } from '@tidings/messaging';
import { type AddressGuard, systemLookup } from '@tidings/runtime';
import type { KeyObject } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { systemTimers } from '../../timers.ts';
import type { Throttler } from '../../throttle/throttles.ts';
import type { Channel, Job, PushListener, Sender } from '../channel-port.ts';
import type { Credentials } from '../credentials/credential-cache.ts';
import { keyOfBatch } from '../message-key.ts';
import { type Prepared, PreparedCredentials } from '../prepared.ts';
import { type MailNames, NoMailDomain, systemNames } from './mail-exchangers.ts';
import type { MailServer } from './mail-server.ts';
import { MailServers, RELAY_REPLY_MS, relayIn } from './mail-servers.ts';
import type { MailEnd, Transaction } from './smtp-session.ts';

export interface EmailDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly url?: string | undefined;
  readonly bounceDomain?: string | undefined;
  readonly addresses: AddressGuard;
  readonly ca?: readonly string[] | undefined;
  readonly names?: MailNames | undefined;
  readonly lookup?: LookupFunction | undefined;
  readonly port?: number | undefined;
  readonly commandsMs?: number | undefined;
  readonly onFailure: (failure: FailedOpening, host: string) => void;
}

const { email } = definitions;

export function emailChannel({ credentials: stored, reportKey, clock, url, addresses, ...deps }: EmailDeps): Channel {
  const servers = new MailServers({
    relay: url === undefined ? undefined : relayIn(url),
    names: deps.names ?? systemNames(addresses),
    lookup: deps.lookup ?? systemLookup,
    port: deps.port,
    ca: deps.ca,
    timers: systemTimers,
    onFailure: deps.onFailure,
  });
  const credentials = new PreparedCredentials<MailSender, undefined>({
    channel: 'email',
    stored,
    definition: email.credential,
    tokensOf: () => undefined,
  });
  const writer = new PayloadWriter();
  const shared = {
    servers,
    writer,
    reportKey,
    clock,
    bounceDomain: deps.bounceDomain,
    publicUrl: deps.publicUrl,
    commandsMs: deps.commandsMs ?? LATE_ANSWER_MS,
    mailKey: mailTokenKeyOf(reportKey),
    linkKey: linkKeyOf(reportKey),
  };
  return {
    retries: email.retries,
    answersForMs: RELAY_REPLY_MS,
    hasSuppressions: true,
    async open(job) {
      const prepared = await credentials.of(job.batch.credential);
      return 'category' in prepared ? prepared : new EmailSender({ ...shared, job, prepared });
    },
    ttlSeconds: () => undefined,
    renew: (reference) => credentials.renew(reference),
    applications: () => credentials.applications(),
    forget: (application) => credentials.forget(application),
    close: () => servers.close(),
  };
}

interface EmailSenderDeps extends Pick<EmailDeps, 'reportKey' | 'clock' | 'bounceDomain' | 'publicUrl'> {
  readonly linkKey: KeyObject;
  readonly commandsMs: number;
  readonly job: Job;
  readonly prepared: Prepared<MailSender, undefined>;
  readonly servers: MailServers;
  readonly writer: PayloadWriter;
  readonly mailKey: KeyObject;
}

/** Stored addresses are stricter (R-E2). */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\u0080-\uffff]{1,64}@[^\s@<>()[\]\\,;:"]{1,255}$/;

const noRoute = {};

class EmailSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly answersForMs: number | undefined;
  readonly #deps: EmailSenderDeps;
  readonly #key: MessageKey;
  readonly #defaults: MailDefaults;
  readonly #tokens: (seq: Seq) => string;
  readonly #copies: readonly string[];
  readonly #own: LetterLinks;
  readonly #payloads: (ChannelPayload | undefined)[] = [];

  constructor(deps: EmailSenderDeps) {
    this.#deps = deps;
    const { job, prepared, reportKey, mailKey, linkKey: key, clock, publicUrl } = deps;
    this.credential = prepared.fingerprint;
    this.settings = prepared.settings;
    this.answersForMs = deps.servers.isDirect ? undefined : RELAY_REPLY_MS;
    this.#key = keyOfBatch(reportKey, job.batch);
    const { content = Content.create(), releasedAt } = job.batch;
    const date = releasedAt ?? new Date(clock.now());
    this.#defaults = mailDefaultsOf(content, prepared.credential, date);
    this.#tokens = mailTokens(mailKey, { ...job.batch, sentAt: Math.ceil(date.getTime() / 1000) });
    this.#own = {
      links: new MailLinks(job.batch, { key, clock, publicUrl }),
      unsubscribes: job.batch.marketing && this.#defaults.listUnsubscribe === undefined,
    };
    this.#copies = (content.email?.bcc ?? []).map(asciiAddress);
  }

  async prepare(): Promise<SendResult | undefined> {
    const { servers, job } = this.#deps;
    if (servers.isDirect) return undefined;
    const relay = servers.of(job.lane, '');
    const isBackingOff = relay.downUntil() > performance.now();
    if (!relay.isOpen && !relay.ready()) await new Promise<void>((resolve) => relay.whenReady(resolve));
    if (relay.isOpen) return undefined;
    // A refusal before this job says nothing about the next attempt.
    if (relay.refused && !isBackingOff) return relay.refused;
    throw new Fault('unavailable', 'the relay cannot be reached', { internal: relay.lastError?.message ?? '' });
  }

  failure(): SendResult {
    const { servers, job } = this.#deps;
    return servers.isDirect ? directResults.noReply : servers.of(job.lane, '').failure;
  }

  routeOf(device: number): object {
    return this.#serverOf(device) ?? noRoute;
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, bounceDomain } = this.#deps;
    const server = this.#serverOf(device);
    if (!server) return invalidAddress;
    if (!server.ready()) return unusable(server.lastError) ?? 'busy';
    const token = this.#tokens(seqOf(job.batch.chunk, job.columns.positions[device]!));
    const written = this.#mailFor(device, token);
    if ('category' in written) return written;
    const transaction = this.#transaction(this.#addressOf(device), written.mail, deadline);
    server.send({
      ...transaction,
      from: bounceDomain === undefined ? transaction.from : returnPathOf(token, bounceDomain),
      mayFlush: () => listener.mayFlush(),
      ended: (end) => this.#ended(end, { copy: written.copy, deadline }, tag, listener),
    });
    return 'written';
  }

  whenReady(run: () => void, device: number): void {
    const server = this.#serverOf(device);
    if (server) server.whenReady(run);
    else queueMicrotask(run);
  }

  downUntil(device: number): number {
    return this.#serverOf(device)?.downUntil() ?? 0;
  }

  /** There is no token to renew: refusals of the login are final (R-P3). */
  async refresh(): Promise<void> {
    return undefined;
  }

  #addressOf(device: number): string {
    return asciiAddress(tokenOf(this.#deps.job.columns, device));
  }

  #serverOf(device: number): MailServer | undefined {
    const address = this.#addressOf(device);
    return ADDRESS.test(address) ? this.#deps.servers.of(this.#deps.job.lane, domainOf(address)) : undefined;
  }

  /** Copies have a transaction of their own: retries of a mail must not repeat them. */
  #mailFor(device: number, token: string): { readonly mail: Buffer; readonly copy: Buffer | undefined } | SendResult {
    const { job, writer, prepared } = this.#deps;
    const { payload, limit } = this.#payloadFor(job.columns.languages[device]!);
    this.#own.links.tokens.begin();
    const letter = writer.write(payload, job.columns, device, limit);
    if (!email.fits(letter, limit)) return localResults.payloadTooLarge;
    const parsed = JSON.parse(letter.toString('utf8')) as Letter;
    const written = (of: string | undefined): Buffer =>
      writtenMail(mailOf(parsed, this.#defaults, of), prepared.credential.dkim, this.#defaults.date);
    return { mail: written(token), copy: this.#copies.length > 0 ? written(undefined) : undefined };
  }

  #payloadFor(language: number): ChannelPayload {
    const { batch } = this.#deps.job;
    return (this.#payloads[language] ??= emailPayload(
      batch,
      batch.languageNames[language] ?? '',
      this.#key,
      this.#own,
    ));
  }

  #transaction(to: string, mail: Buffer, replyBy: number): Transaction {
    const from = this.#defaults.from.address;
    const deadline = Math.min(replyBy, performance.now() + this.#deps.commandsMs);
    return { from, to, mail, deadline, replyBy, mayFlush: () => true, ended: () => undefined };
  }

  #ended(
    end: MailEnd,
    { copy: mail, deadline }: { readonly copy: Buffer | undefined; readonly deadline: number },
    tag: number,
    listener: PushListener,
  ): void {
    const { isDirect } = this.#deps.servers;
    if (end.is === 'unprocessed' && !isDirect) {
      listener.unprocessed(tag);
      return;
    }
    listener.answered(tag, resultOf(end, isDirect));
    if (end.is !== 'accepted' || mail === undefined) return;
    for (const copy of this.#copies) this.#sendCopy(this.#transaction(copy, mail, deadline));
  }

  #sendCopy(transaction: Transaction): void {
    const { servers, job } = this.#deps;
    const server = servers.of(job.lane, domainOf(transaction.to));
    const attempt = (): void => {
      if (server.ready()) server.send(transaction);
      else if (server.downUntil() === 0 && performance.now() < transaction.deadline) server.whenReady(attempt);
    };
    attempt();
  }
}

const invalidAddress: SendResult = {
  category: 'INVALID_TOKEN',
  code: '0',
  name: 'invalid_address',
  then: { do: 'final' },
};

function unusable(error: Error | undefined): SendResult | undefined {
  if (error instanceof NoMailDomain) return directResults.noMailDomain;
  return connectionFailureOf(error) === 'private_address' ? connectionResults.private_address : undefined;
}

function resultOf(end: MailEnd, isDirect: boolean): SendResult {
  switch (end.is) {
    case 'accepted':
      return sent;
    case 'refused':
      return smtpResult(end.stage, end.status, end.text);
    case 'tooLarge':
      return tooLargeForServer;
    case 'unprocessed':
    case 'noReply':
      return isDirect ? directResults.noReply : relayResults.noReply;
    case 'lost':
      return localResults.connectionLost;
    case 'late':
      return localResults.timeout;
  }
}
