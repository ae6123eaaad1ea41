import type { LogWriter } from '@tidings/event-store';
import type { VisitEvent } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { logOfMessage, type MessageCommand, type MessageReply } from './message-log.ts';
import { shortened } from './short-link.ts';

export interface VisitDeps {
  readonly writer: LogWriter<MessageCommand, MessageReply>;
  readonly nextId: () => number;
  readonly publicUrl: string;
}

/** Idempotent (R-F5). */
export function sendVisits({ writer, nextId, publicUrl }: VisitDeps): (visits: readonly VisitEvent[]) => Promise<void> {
  return async (visits) => {
    const joined = visits.map(async ({ account, at, stamp, event }) => {
      if (event?.$case !== 'entered') return;
      const { message: code, accepted, linkToShorten, heldBack } = event.value;
      if (!accepted || !stamp) throw Fault.bug(`${code}: a visit without a message or a position in its log`);
      const draft = shortened(accepted, linkToShorten, publicUrl);
      const cause = heldBack === '' ? `${stamp.log}/${stamp.position}/${stamp.index}` : `${code}/${heldBack}`;
      await writer.submit(logOfMessage(code), {
        kind: 'join',
        join: { code, id: nextId(), account, at: at!, cause, draft },
      });
    });
    await Promise.all(joined);
  };
}
