import type { MailListener } from './mail/mail-listener.ts';

/** Injection tokens of the gateway's module. */
export const CONTEXT = Symbol('context');
/** `{ operations }` of this process. */
export const OWN_OPERATIONS = Symbol('operations of this process');
/** {@link IncomingMail} */
export const INCOMING_MAIL = Symbol('incoming mail');
/** {@link Draining} */
export const DRAINING = Symbol('draining');

/** How long idle connections stay open while the gateway closes. */
export interface Draining {
  readonly drainMs: number;
}

/** The server of incoming mail, if the gateway has one. */
export interface IncomingMail {
  readonly listener: MailListener | undefined;
}
