import type { IncomingMessage } from 'node:http';
import { ApiController } from '../http/api-controller.ts';
import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { mailOpenOf, mailPaths } from '@tidings/channels';
import { REQUEST_MS } from '@tidings/contract';
import { MailOpen, ReportKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { isTargetOf } from '@tidings/messaging';
import type { Context } from '../context.ts';
import type { Reply } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { DEAD_LINK, type LinkedRecipient } from './mail-links.ts';
import { type MailAct, MailActs } from './mail-acts.ts';
import { preferencePage } from './preference-page.ts';
import { choose, preferencesOf } from './preferences.ts';
import { LargeBodies } from '../http/large-bodies.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import { Served, type ServedRequest } from '../http/served-request.ts';
import { refuseTooLarge } from '../http/body.ts';

const FORM_BYTES = 1024 * 1024;

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** A proxy would answer later opens; a referrer would show the token to the target. */
const UNSEEN = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' };

@ApiController()
export class MailController {
  readonly #context: Context;
  readonly #bodies: LargeBodies;
  readonly #acts: MailActs;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
    this.#acts = new MailActs(context);
  }

  @Get(`${mailPaths.open}:token`)
  async open(@Param('token') token: string, @Served() { raw }: ServedRequest): Promise<Reply> {
    const recipient = await this.#context.mailLinks.recipientOf('tracking', token);
    await this.#acts.report(recipient, this.#opened(raw, recipient));
    return { status: 200, body: '', file: { type: 'image/gif', bytes: PIXEL }, headers: UNSEEN };
  }

  @Get(`${mailPaths.click}:token/:mac`)
  async click(
    @Param('token') token: string,
    @Param('mac') mac: string,
    @Query('to') target = '',
    @Served() { raw }: ServedRequest,
  ): Promise<Reply> {
    const recipient = await this.#context.mailLinks.recipientOf('tracking', token);
    const location = URL.parse(target)?.href;
    const isGenuine = isTargetOf(this.#context.mailLinks.key(), recipient, { target, mac });
    if (!isGenuine || location === undefined) throw Fault.forbidden(DEAD_LINK);
    await this.#acts.report(recipient, this.#clicked(raw, recipient, target));
    return { status: 302, body: '', headers: { ...UNSEEN, location } };
  }

  /** Changes nothing: scanners load every link. */
  @Get(`${mailPaths.unsubscribe}:token`)
  async preferences(@Param('token') token: string): Promise<Reply> {
    return this.#page(await this.#contact(token));
  }

  @Post(`${mailPaths.unsubscribe}:token`)
  async choose(@Param('token') token: string, @Served() { raw, pending }: ServedRequest): Promise<Reply> {
    const recipient = await this.#contact(token);
    const form = await this.#formOf(raw, pending);
    return form.get('choice') === 'save'
      ? this.#save(recipient, new Set(form.getAll('category')), pending)
      : this.#unsubscribe(recipient, pending);
  }

  #openOf({ headers, method }: IncomingMessage, { writtenAt }: LinkedRecipient): MailOpen {
    const afterMs = this.#context.clock.now() - writtenAt;
    return mailOpenOf({ userAgent: headers['user-agent'], isHead: method === 'HEAD', afterMs });
  }

  #opened(request: IncomingMessage, recipient: LinkedRecipient): readonly MailAct[] {
    return [{ kind: ReportKind.REPORT_KIND_MAIL_OPENED, open: this.#openOf(request, recipient) }];
  }

  /** A person who clicks has opened the mail. */
  #clicked(request: IncomingMessage, recipient: LinkedRecipient, target: string): readonly MailAct[] {
    const open = this.#openOf(request, recipient);
    if (open !== MailOpen.MAIL_OPEN_HUMAN) return [];
    return [
      { kind: ReportKind.REPORT_KIND_MAIL_OPENED, open },
      { kind: ReportKind.REPORT_KIND_MAIL_CLICKED, detail: target },
    ];
  }

  async #contact(token: string): Promise<LinkedRecipient> {
    const { mailLinks, recipientLimits } = this.#context;
    const recipient = await mailLinks.recipientOf('preferences', token);
    recipientLimits.take(recipient.application, `preferences ${recipient.seq}`);
    return recipient;
  }

  async #formOf(request: IncomingMessage, pending: PendingRequest): Promise<URLSearchParams> {
    refuseTooLarge(request, FORM_BYTES);
    const bytes = await this.#bodies.read(request, { limit: FORM_BYTES, deadlineMs: REQUEST_MS, pending });
    return new URLSearchParams(bytes.toString('utf8'));
  }

  async #page(recipient: LinkedRecipient, done?: string): Promise<Reply> {
    return preferencePage(await preferencesOf(recipient, this.#context), recipient.view.title, done);
  }

  /** Mail clients' one-click unsubscription (RFC 8058), too. */
  async #unsubscribe(recipient: LinkedRecipient, pending: PendingRequest): Promise<Reply> {
    await choose(recipient, { unsubscribed: true }, { context: this.#context, pending });
    await this.#report(recipient, '');
    return this.#page(recipient, 'You are unsubscribed.');
  }

  /** Mails without a category would still reach a contact without any category. */
  async #save(recipient: LinkedRecipient, subscribed: ReadonlySet<string>, pending: PendingRequest): Promise<Reply> {
    const { offered, excluded, isComplete } = await preferencesOf(recipient, this.#context);
    const isOffered = new Set(offered);
    const left = offered.filter((category) => !subscribed.has(category));
    const kept = excluded.filter((category) => !isOffered.has(category));
    const unsubscribed = isComplete && left.length === offered.length;
    await choose(recipient, { unsubscribed, excluded: [...kept, ...left] }, { context: this.#context, pending });
    const before = new Set(excluded);
    const added = unsubscribed ? '' : left.find((category) => !before.has(category));
    if (added !== undefined) await this.#report(recipient, added);
    return this.#page(recipient, 'Your choice is saved.');
  }

  async #report(recipient: LinkedRecipient, detail: string): Promise<void> {
    const kind = ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED;
    await this.#context.reporter.reportMail({ kind, recipient, detail });
  }
}
