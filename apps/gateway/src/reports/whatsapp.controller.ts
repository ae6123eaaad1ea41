import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiController } from '../http/api-controller.ts';
import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { arrivedIn, isSignedByWhatsApp } from '@tidings/channels';
import { REQUEST_MS, type Request } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { parseReceiptKey } from '@tidings/messaging';
import type { ApplicationView } from '@tidings/rpc';
import type { Context } from '../context.ts';
import { type Reply, TOO_LARGE } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { refuseTooLarge } from '../http/body.ts';
import { LargeBodies } from '../http/large-bodies.ts';
import { type BodyForm, objectIn } from '../http/parameters.ts';
import { Served, type ServedRequest } from '../http/served-request.ts';
import { receivingApplication, secretsOf } from './receipts.ts';

/** WhatsApp sends at most 3 MB. */
const BODY_BYTES = 3 * 1024 * 1024;
const MAX_STATUSES = 1000;
const MAX_CHALLENGE = 255;

const RECEIPTS: BodyForm = {
  limits: { members: 200_000, names: 10_000, values: 400_000, entryValues: 400_000 },
  body: 'bare',
};

const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());

@ApiController('webhooks/whatsapp/:application')
export class WhatsAppController {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  @Get()
  async verify(@Param('application') code: string, @Query() query: Readonly<Record<string, string>>): Promise<Reply> {
    const application = await receivingApplication(this.#context, code);
    const { verifyToken } = await secretsOf(this.#context, application, this.#context.whatsAppSecrets);
    const { 'hub.mode': mode, 'hub.verify_token': given = '', 'hub.challenge': challenge = '' } = query;
    const isVerified = verifyToken !== undefined && mode === 'subscribe' && isSame(given, verifyToken);
    if (!isVerified || challenge.length > MAX_CHALLENGE) throw Fault.forbidden('The verify token is not valid');
    return {
      status: 200,
      body: '',
      file: { type: 'text/plain; charset=utf-8', bytes: Buffer.from(challenge) },
      headers: { 'x-content-type-options': 'nosniff' },
    };
  }

  /** WhatsApp repeats what is not answered, so receipts must be durable first. */
  @Post()
  async receive(
    @Param('application') code: string,
    @Served() { raw, headers, pending }: ServedRequest,
  ): Promise<Reply> {
    const application = await receivingApplication(this.#context, code);
    const { appSecret } = await secretsOf(this.#context, application, this.#context.whatsAppSecrets);
    refuseTooLarge(raw, BODY_BYTES);
    const bytes = await this.#bodies.read(raw, { limit: BODY_BYTES, deadlineMs: REQUEST_MS, pending });
    const signature = [headers['x-hub-signature-256']].flat().join(',');
    const isGenuine = appSecret !== undefined && isSignedByWhatsApp(appSecret, bytes, signature);
    if (!isGenuine) throw Fault.forbidden('The signature is not valid');
    await this.#report(application, await objectIn(bytes, RECEIPTS));
    return { status: 200, body: '' };
  }

  async #report({ account, code: application }: ApplicationView, body: Request): Promise<void> {
    const keys = arrivedIn(body, MAX_STATUSES);
    if (!keys) throw Fault.tooLarge(TOO_LARGE);
    const receipts = keys.map(parseReceiptKey).filter((receipt) => receipt !== undefined);
    await Promise.all(
      receipts.map(({ hash, token: hwid }) =>
        this.#context.reporter.report(ReportKind.REPORT_KIND_DELIVERED, { account, application, hwid }, hash),
      ),
    );
  }
}
