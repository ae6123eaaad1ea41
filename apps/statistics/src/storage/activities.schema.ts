import { bytes, date, defineModel, flag, inDays, list, number, object, optional, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import { GROUPS_KEPT_MS } from './statistics.schema.ts';

const DAY_MS = 86_400_000;
/** Events may be dated 72 hours back, and arrive 72 hours late. */
export const ACTIVITY_KEPT_MS = 9 * DAY_MS;
export const CLOSED_KEPT_MS = 4 * DAY_MS;

export interface OpensPart {
  rev: number;
  messages: string[];
  rows: Binary;
  closed?: boolean;
}

export interface EventsPart {
  rev: number;
  names: string[];
  rows: Binary;
  closed?: boolean;
}

export interface CreditsPart {
  version: number;
  messages: string[];
  names: string[];
  rows: Binary;
}

/** Holds positions only, nothing that names a person. */
export interface ActivityDocument {
  readonly _id: string;
  readonly createdAt: Date;
  readonly dueAt: Date;
  readonly opens?: OpensPart;
  readonly events?: EventsPart;
  readonly credits?: CreditsPart;
  readonly closed?: boolean;
}

const [messages, names] = [list(text), list(text)];

export const activitiesModel = defineModel<ActivityDocument>({
  name: 'activities',
  retention: `opens and events ${inDays(ACTIVITY_KEPT_MS)}, credits ${inDays(GROUPS_KEPT_MS)}`,
  fields: {
    _id: text,
    createdAt: date,
    dueAt: date,
    opens: optional(object<OpensPart>({ rev: number, messages, rows: bytes, closed: optional(flag) })),
    events: optional(object<EventsPart>({ rev: number, names, rows: bytes, closed: optional(flag) })),
    credits: optional(object<CreditsPart>({ version: number, messages, names, rows: bytes })),
    closed: optional(flag),
  },
  indexes: [
    { name: 'messages', key: { 'credits.messages': 1 }, sparse: true },
    { name: 'dueAt', key: { dueAt: 1 } },
  ],
});
