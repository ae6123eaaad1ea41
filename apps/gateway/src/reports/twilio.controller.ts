import { Inject, Param, Post } from '@nestjs/common';
import { ApiController } from '../http/api-controller.ts';
import { hasArrived, isSignedByTwilio, TWILIO_HASH, TWILIO_PATH } from '@tidings/channels';
import { REQUEST_MS } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { parseStatisticsHash } from '@tidings/messaging';
import type { ApplicationView } from '@tidings/rpc';
import type { Context } from '../context.ts';
import type { Reply } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { refuseTooLarge } from '../http/body.ts';
import { LargeBodies } from '../http/large-bodies.ts';
import { receivingApplication, secretsOf } from './receipts.ts';
import { Served, type ServedRequest } from '../http/served-request.ts';
import { originForm } from '../http/target.ts';

const BODY_BYTES = 64 * 1024;

@ApiController()
export class TwilioController {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  @Post(TWILIO_PATH.replace('{application}', ':application'))
  async receive(@Param('application') code: string, @Served() request: ServedRequest): Promise<Reply> {
    const { twilioSecrets, publicUrl } = this.#context;
    const application = await receivingApplication(this.#context, code);
    const { authToken } = await secretsOf(this.#context, application, twilioSecrets);
    const { raw, pending } = request;
    refuseTooLarge(raw, BODY_BYTES);
    const bytes = await this.#bodies.read(raw, { limit: BODY_BYTES, deadlineMs: REQUEST_MS, pending });
    const form = new URLSearchParams(bytes.toString('utf8'));
    const address = publicUrl + originForm(request.originalUrl);
    const signature = [request.headers['x-twilio-signature']].flat().join(',');
    const isGenuine = authToken !== undefined && isSignedByTwilio(authToken, address, form, signature);
    if (!isGenuine) throw Fault.forbidden('The signature is not valid');
    const { [TWILIO_HASH]: hash = '' } = request.query as Readonly<Record<string, string>>;
    await this.#report(application, form, hash);
    return { status: 200, body: '' };
  }

  async #report({ account, code: application }: ApplicationView, form: URLSearchParams, text: string): Promise<void> {
    const hash = hasArrived(form) ? parseStatisticsHash(text) : undefined;
    const hwid = form.get('To') ?? '';
    if (!hash || hwid === '') return;
    await this.#context.reporter.report(ReportKind.REPORT_KIND_DELIVERED, { account, application, hwid }, hash);
  }
}
