import { Controller, Get, Header, Inject, NotFoundException, Param, Redirect } from '@nestjs/common';
import { ACCEPTED, type LedgerEntry } from '../ledger/entries.ts';
import { PAGE_POLICY } from '../pages/html.ts';
import { MAIL_POLICY, mailHtml, mailList, mailPage } from '../pages/mail-page.ts';
import { smsList } from '../pages/sms-page.ts';
import type { ProviderName } from '../provider.ts';
import type { Stage } from '../simulators.ts';
import { STAGE } from './stage.ts';

const HTML = 'text/html; charset=utf-8';
const SHOWN = 200;

/** Payloads must be kept. */
@Controller()
export class PagesController {
  readonly #stage: Stage;

  constructor(@Inject(STAGE) stage: Stage) {
    this.#stage = stage;
  }

  @Get()
  @Redirect('/mail', 302)
  begin(): void {
    // The redirect is the answer.
  }

  @Get('mail')
  @Header('content-type', HTML)
  @Header('content-security-policy', PAGE_POLICY)
  mails(): Promise<string> {
    return mailList(this.#last('email'));
  }

  @Get('mail/:row')
  @Header('content-type', HTML)
  @Header('content-security-policy', PAGE_POLICY)
  mail(@Param('row') row: string): Promise<string> {
    return mailPage(this.#mail(row));
  }

  @Get('mail/:row/html')
  @Header('content-type', HTML)
  @Header('content-security-policy', MAIL_POLICY)
  html(@Param('row') row: string): Promise<string> {
    return mailHtml(this.#mail(row));
  }

  @Get('sms')
  @Header('content-type', HTML)
  @Header('content-security-policy', PAGE_POLICY)
  sms(): string {
    return smsList([...this.#last('smpp'), ...this.#last('sms')]);
  }

  #last(provider: ProviderName): LedgerEntry[] {
    return this.#stage.ledger.of(provider).entries({ reason: ACCEPTED, limit: Infinity }).slice(-SHOWN);
  }

  #mail(row: string): LedgerEntry {
    const entries = this.#stage.ledger.of('email').entries({ reason: ACCEPTED, limit: Infinity });
    const found = entries.find((entry) => entry.row === Number(row));
    if (!found) throw new NotFoundException('no such mail is kept');
    return found;
  }
}
