import type { EntryState } from '@tidings/messaging';
import { date, defineModel, number, object, optional, record, text } from '@tidings/mongo';

/** A state with the time at which its entry leaves the inbox, in milliseconds since 1970. */
export type StoredState = EntryState & { readonly until: number };

/**
 * The acts of a user on the entries of their inbox, or of an operator on the entries of an application. Entries themselves are derived from plans: an
 * entry without acts has no state.
 */
export interface InboxDocument {
  /** Application and hash of the user; the application and "/" for the operator's deletions. */
  readonly _id: string;
  /** Grows with every change, for compare-and-set. */
  readonly rev: number;
  /** The states, by order of the entry. */
  readonly states: Readonly<Record<string, StoredState>>;
  /** When the last entry has left. */
  readonly expireAt: Date;
}

/** States of touched entries: written with each listing of a new entry, and therefore native. */
export const inboxesModel = defineModel<InboxDocument>({
  name: 'inboxes',
  retention: 'until the known entries have left the inbox',
  fields: {
    _id: text,
    rev: number,
    states: record(
      object<StoredState>({
        status: number,
        calledAt: number,
        reachedAt: number,
        readAt: optional(number),
        openedAt: optional(number),
        deletedAt: optional(number),
        until: number,
      }),
    ),
    expireAt: date,
  },
  indexes: [{ name: 'expireAt', key: { expireAt: 1 } }],
});
