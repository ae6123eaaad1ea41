import type { Context } from '../context.ts';
import type { MailReport } from '../reports/reporter.ts';
import type { LinkedRecipient } from './mail-links.ts';

/** An act of a recipient, to be reported. */
export type MailAct = Omit<MailReport, 'recipient'>;

/** How long the answer to a reader waits for the reports about it. */
const PATIENCE_MS = 1_000;

export type MailActsDeps = Pick<Context, 'reporter' | 'recipientLimits' | 'log'>;

/** Reports what readers of mails do, without making them wait for it. */
export class MailActs {
  readonly #deps: MailActsDeps;

  constructor(deps: MailActsDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the acts are durable, but after a second at the latest, and also if they cannot be stored, so that a click leads to the target in any
   * case. Acts beyond the limit of a recipient are left out.
   */
  async report(recipient: LinkedRecipient, acts: readonly MailAct[]): Promise<void> {
    if (acts.length === 0 || !this.#mayAct(recipient)) return;
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, PATIENCE_MS);
    const reports = Promise.all(acts.map((act) => this.#deps.reporter.reportMail({ ...act, recipient })));
    const logged = reports.then(
      () => undefined,
      (error: unknown) => this.#deps.log.warn({ err: error }, 'reporting an act of a mail’s recipient failed'),
    );
    await Promise.race([logged, patience.promise]);
    clearTimeout(timer);
  }

  #mayAct({ application, seq }: LinkedRecipient): boolean {
    try {
      this.#deps.recipientLimits.take(application, `tracking ${seq}`);
      return true;
    } catch {
      return false;
    }
  }
}
