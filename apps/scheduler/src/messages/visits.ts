import type { LogWriter } from '@tidings/event-store';
import type { VisitEvent } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Created } from '@tidings/messaging';
import { logOfMessage, type MessageCommand } from './log.ts';
import { shortened } from './short-link.ts';

export interface VisitParts {
  readonly writer: LogWriter<MessageCommand, Created | undefined>;
  readonly nextId: () => number;
  /** Without a slash at the end. */
  readonly publicUrl: string;
}

/** Makes the messages that geozones send, under the codes that their visits gave them: repeats change nothing. */
export function sendVisits({
  writer,
  nextId,
  publicUrl,
}: VisitParts): (visits: readonly VisitEvent[]) => Promise<void> {
  return async (visits) => {
    const made = visits.map(async ({ account, at, event }) => {
      if (event?.$case !== 'entered') return;
      const { message: code, accepted, linkToShorten } = event.value;
      if (!accepted) throw Fault.bug(`${code}: a visit without a message`);
      const draft = shortened(accepted, linkToShorten, publicUrl);
      await writer.submit(logOfMessage(code), {
        kind: 'createOnce',
        create: { code, id: nextId(), account, at: at!, draft },
      });
    });
    await Promise.all(made);
  };
}
