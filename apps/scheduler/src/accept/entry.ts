import type { AcceptMessagesRequest, MessageRequest } from '@tidings/rpc';

/** A message of a request, under way to its acceptance. */
export interface Entry {
  /** Position in the request. */
  readonly notification: number;
  readonly request: MessageRequest;
  /** Key of its transactionId; "" without one. */
  readonly transaction: string;
}

/** The acceptance of one request. */
export interface Acceptance extends Omit<AcceptMessagesRequest, 'messages'> {
  readonly now: Date;
  /** Deadline, by performance.now(): after it nothing is created any more. */
  readonly deadline: number;
  /** @throws Fault `unavailable` after the deadline */
  readonly refuseLate: () => void;
  /** Whether messages may have been created: their outcome is unknown if no answer comes (R-ER10). */
  mayExist: boolean;
}
