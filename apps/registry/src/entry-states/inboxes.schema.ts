import type { EntryState } from '@tidings/messaging';
import { date, defineModel, number, object, optional, record, text } from '@tidings/mongo';

export type StoredState = EntryState & { readonly until: number };

/** Entries are derived from plans; only touched ones have a state. */
export interface InboxDocument {
  /** The application and "/" for the operator's deletions. */
  readonly _id: string;
  readonly rev: number;
  readonly states: Readonly<Record<string, StoredState>>;
  readonly expireAt: Date;
}

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
