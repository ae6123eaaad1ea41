import type { AcceptMessagesRequest, MessageRequest } from '@tidings/rpc';

export interface Entry {
  readonly notification: number;
  readonly request: MessageRequest;
  readonly transaction: string;
}

export interface Acceptance extends Omit<AcceptMessagesRequest, 'messages'> {
  readonly now: Date;
  /** Nothing is created after it, by `performance.now()`. */
  readonly deadline: number;
  readonly refuseLate: () => void;
  /** The outcome is unknown without an answer (R-ER10). */
  mayExist: boolean;
}
