import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { mailPaths } from '@tidings/channels';
import { REQUEST_MS } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import type { Context } from '../context.ts';
import { pagesEnvelope } from '../envelopes/pages.ts';
import type { Reply } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import type { LinkedRecipient } from '../mail/mail-links.ts';
import { preferencePage } from '../mail/pages.ts';
import { choose, preferencesOf } from '../mail/preferences.ts';
import { LargeBodies } from './large-bodies.ts';
import type { PendingRequest } from './pending-requests.ts';
import { refuseTooLarge } from './body.ts';
import type { Route } from './route.ts';

/** The form with the most categories, each of the greatest length, fits. */
const FORM_BYTES = 1024 * 1024;

/** The links that mails carry (R-E11). */
@Injectable()
export class MailRoutes {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  routes(): Route[] {
    const path = `${mailPaths.unsubscribe}{token}`;
    return [
      {
        ...{ verb: 'GET', path, envelope: pagesEnvelope },
        // Scanners load every link: it changes nothing.
        serve: async (_request, { token = '' }) => this.#page(await this.#contact(token)),
      },
      {
        ...{ verb: 'POST', path, envelope: pagesEnvelope },
        serve: async (request, { token = '' }, pending) => {
          const recipient = await this.#contact(token);
          const form = await this.#formOf(request, pending);
          return form.get('choice') === 'save'
            ? this.#save(recipient, new Set(form.getAll('category')), pending)
            : this.#unsubscribe(recipient, pending);
        },
      },
    ];
  }

  /** The contact whose choices the token opens. @throws Fault `throttled` for too many requests about it */
  async #contact(token: string): Promise<LinkedRecipient> {
    const { mailLinks, recipientLimits } = this.#context;
    const recipient = await mailLinks.recipientOf('preferences', token);
    recipientLimits.take(recipient.application, `preferences ${recipient.seq}`);
    return recipient;
  }

  async #formOf(request: IncomingMessage, pending: PendingRequest): Promise<URLSearchParams> {
    refuseTooLarge(request, FORM_BYTES);
    const reading = { limit: FORM_BYTES, deadlineMs: REQUEST_MS, pending };
    return this.#bodies.take(request, reading, async (bytes) => new URLSearchParams(bytes.toString('utf8')));
  }

  async #page(recipient: LinkedRecipient, done?: string): Promise<Reply> {
    return preferencePage(await preferencesOf(recipient, this.#context), recipient.view.title, done);
  }

  /** Unsubscribes from all marketing: what mail clients ask for with one click (RFC 8058), and the page by its button. */
  async #unsubscribe(recipient: LinkedRecipient, pending: PendingRequest): Promise<Reply> {
    await choose(recipient, { unsubscribed: true }, { context: this.#context, pending });
    await this.#report(recipient, '');
    return this.#page(recipient, 'You are unsubscribed.');
  }

  /** Stores which of the offered categories the contact wants; those that are not offered stay as they are. */
  async #save(recipient: LinkedRecipient, wanted: ReadonlySet<string>, pending: PendingRequest): Promise<Reply> {
    const { offered, excluded } = await preferencesOf(recipient, this.#context);
    const isOffered = new Set(offered);
    const left = offered.filter((category) => !wanted.has(category));
    const kept = excluded.filter((category) => !isOffered.has(category));
    await choose(recipient, { unsubscribed: false, excluded: [...kept, ...left] }, { context: this.#context, pending });
    const before = new Set(excluded);
    const added = left.find((category) => !before.has(category));
    if (added !== undefined) await this.#report(recipient, added);
    return this.#page(recipient, 'Your choice is saved.');
  }

  /** @param detail the category, "" for all */
  async #report(recipient: LinkedRecipient, detail: string): Promise<void> {
    const kind = ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED;
    await this.#context.reporter.reportMail({ kind, recipient, detail });
  }
}
