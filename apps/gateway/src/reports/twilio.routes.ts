import { Inject, Injectable } from '@nestjs/common';
import { hasArrived, isSignedByTwilio, TWILIO_HASH, TWILIO_PATH } from '@tidings/channels';
import { REQUEST_MS } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { parseStatisticsHash } from '@tidings/messaging';
import type { ApplicationView } from '@tidings/rpc';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { refuseTooLarge } from '../http/body.ts';
import { LargeBodies } from '../http/large-bodies.ts';
import { receivingApplication, secretsOf } from './receipts.ts';
import { queryOf, type Route } from '../http/route.ts';

const BODY_BYTES = 64 * 1024;

/** The webhook in which Twilio reports what became of SMS (R-P3). */
@Injectable()
export class TwilioRoutes {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  routes(): Route[] {
    return [
      {
        verb: 'POST',
        path: TWILIO_PATH,
        envelope: apiV2Envelope,
        serve: async (request, { application: code = '' }, pending) => {
          const { twilioSecrets, publicUrl } = this.#context;
          const application = await receivingApplication(this.#context, code);
          const { authToken } = await secretsOf(this.#context, application, twilioSecrets);
          refuseTooLarge(request, BODY_BYTES);
          const { url = '' } = request;
          await this.#bodies.take(request, { limit: BODY_BYTES, deadlineMs: REQUEST_MS, pending }, async (bytes) => {
            const form = new URLSearchParams(bytes.toString('utf8'));
            const signature = [request.headers['x-twilio-signature']].flat().join(',');
            const isGenuine = authToken !== undefined && isSignedByTwilio(authToken, publicUrl + url, form, signature);
            if (!isGenuine) throw Fault.forbidden('The signature is not valid');
            await this.#report(application, form, queryOf(url)[TWILIO_HASH] ?? '');
          });
          return { status: 200, body: '' };
        },
      },
    ];
  }

  async #report({ account, code: application }: ApplicationView, form: URLSearchParams, text: string): Promise<void> {
    const hash = hasArrived(form) ? parseStatisticsHash(text) : undefined;
    const hwid = form.get('To') ?? '';
    if (!hash || hwid === '') return;
    await this.#context.reporter.report(ReportKind.REPORT_KIND_DELIVERED, { account, application, hwid }, hash);
  }
}
