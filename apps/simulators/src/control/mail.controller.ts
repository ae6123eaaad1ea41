import { Body, Controller, HttpCode, Inject, NotFoundException, Post } from '@nestjs/common';
import { sendMailReport } from '../email/mail-reports.ts';
import { ACCEPTED } from '../ledger/entries.ts';
import type { Stage } from '../simulators.ts';
import { mailReportBody, parsed } from './bodies.ts';
import { STAGE } from './stage.ts';

@Controller('mail')
export class MailController {
  readonly #stage: Stage;

  constructor(@Inject(STAGE) stage: Stage) {
    this.#stage = stage;
  }

  /** Reports the last mail to an address. */
  @Post('reports')
  @HttpCode(200)
  async report(@Body() body: unknown): Promise<{ status: number }> {
    const { address, host, port, ...what } = parsed(mailReportBody, body);
    const { payload } = this.#stage.ledger.of('email').entries({ token: address, reason: ACCEPTED }).at(-1) ?? {};
    if (payload === undefined) throw new NotFoundException('no mail to this address is kept');
    return { status: await sendMailReport(payload, what, { host, port }) };
  }
}
