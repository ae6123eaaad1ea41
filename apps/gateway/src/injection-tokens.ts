import type { MailListener } from './mail/mail-listener.ts';

export const CONTEXT = Symbol('context');
export const OWN_OPERATIONS = Symbol('operations of this process');
export const INCOMING_MAIL = Symbol('incoming mail');
export const DRAINING = Symbol('draining');

export interface Draining {
  readonly drainMs: number;
}

export interface IncomingMail {
  readonly listener: MailListener | undefined;
}
