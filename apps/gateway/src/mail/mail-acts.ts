import type { Context } from '../context.ts';
import type { MailReport } from '../reports/reporter.ts';
import type { LinkedRecipient } from './mail-links.ts';

export type MailAct = Omit<MailReport, 'recipient'>;

const TIMEOUT_MS = 1_000;

export type MailActsDeps = Pick<Context, 'reporter' | 'recipientLimits' | 'log'>;

export class MailActs {
  readonly #deps: MailActsDeps;

  constructor(deps: MailActsDeps) {
    this.#deps = deps;
  }

  /** Resolves within a second, also on failure: a click always leads to its target. */
  async report(recipient: LinkedRecipient, acts: readonly MailAct[]): Promise<void> {
    if (acts.length === 0 || !this.#mayAct(recipient)) return;
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, TIMEOUT_MS);
    const reports = Promise.all(acts.map((act) => this.#deps.reporter.reportMail({ ...act, recipient })));
    const logged = reports.then(
      () => undefined,
      (error: unknown) => this.#deps.log.warn({ err: error }, 'reporting an act of a mail’s recipient failed'),
    );
    await Promise.race([logged, timeout.promise]);
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
