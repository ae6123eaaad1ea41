import { HIDDEN_KEPT_MS, KEPT_MS } from '@tidings/messaging';
import { bytes, date, defineModel, inDays, list, number, object, optional, pairs, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';

export const GROUPS_KEPT_MS = KEPT_MS + 86_400_000;

export interface MessageFacts {
  readonly _id: string;
  readonly releasedAt?: Date;
  readonly expiresAt?: Date;
  readonly removeAt?: Date;
}

export type HoursDocument = [hour: number, set: Binary][];

export interface FailedEntry {
  category: string;
  code: string;
  name: string;
  hours: HoursDocument;
}

export type FailedDocument = FailedEntry[];

export interface BounceEntry {
  category: string;
  hours: HoursDocument;
}

export type BouncesDocument = BounceEntry[];

export interface PlanPart {
  rev: number;
  eligible: Binary;
  excluded: [reason: string, set: Binary][];
  failed: FailedDocument;
  inboxEligible?: Binary;
  inboxExcluded?: [reason: string, set: Binary][];
}

export interface WirePart {
  rev: number;
  sent: HoursDocument;
  notDisplayable: Binary;
  failed: FailedDocument;
  bounced?: BouncesDocument;
}

export interface BouncesPart {
  rev: number;
  bounced: BouncesDocument;
}

export interface ReportsPart {
  rev: number;
  hours: HoursDocument;
}

/** Each part has a revision, so that consumers of different topics do not conflict. */
export interface GroupDocument {
  readonly _id: string;
  readonly platform: number;
  readonly createdAt: Date;
  readonly plan?: PlanPart;
  readonly wire?: WirePart;
  readonly delivered?: ReportsPart;
  readonly opened?: ReportsPart;
  readonly inboxReached?: ReportsPart;
  readonly inboxRead?: ReportsPart;
  readonly inboxOpened?: ReportsPart;
  readonly inboxEntriesOpened?: ReportsPart;
  readonly mailOpened?: ReportsPart;
  readonly mailOpenedUnknown?: ReportsPart;
  readonly mailOpenedAmpp?: ReportsPart;
  readonly mailOpenedMachine?: ReportsPart;
  readonly mailClicked?: ReportsPart;
  readonly mailUnsubscribed?: ReportsPart;
  readonly mailComplained?: ReportsPart;
  readonly mailBounced?: BouncesPart;
}

const hours = pairs('number');
const failed = list(object<FailedEntry>({ category: text, code: text, name: text, hours }));
const bounced = list(object<BounceEntry>({ category: text, hours }));
const reports = optional(object<ReportsPart>({ rev: number, hours }));

export const messagesModel = defineModel<MessageFacts>({
  name: 'messages',
  retention: `${inDays(KEPT_MS)} from the send date, hidden ones ${inDays(HIDDEN_KEPT_MS)}`,
  fields: { _id: text, releasedAt: optional(date), expiresAt: optional(date), removeAt: optional(date) },
  indexes: [
    { name: 'expiresAt_1', key: { expiresAt: 1 } },
    { name: 'removeAt', key: { removeAt: 1 }, sparse: true },
  ],
});

export const groupsModel = defineModel<GroupDocument>({
  name: 'groups',
  retention: `with the message; orphans ${inDays(GROUPS_KEPT_MS)}`,
  fields: {
    _id: text,
    platform: number,
    createdAt: date,
    plan: optional(
      object<PlanPart>({
        rev: number,
        eligible: bytes,
        excluded: pairs('string'),
        failed,
        inboxEligible: optional(bytes),
        inboxExcluded: optional(pairs('string')),
      }),
    ),
    wire: optional(
      object<WirePart>({ rev: number, sent: hours, notDisplayable: bytes, failed, bounced: optional(bounced) }),
    ),
    delivered: reports,
    opened: reports,
    inboxReached: reports,
    inboxRead: reports,
    inboxOpened: reports,
    inboxEntriesOpened: reports,
    mailOpened: reports,
    mailOpenedUnknown: reports,
    mailOpenedAmpp: reports,
    mailOpenedMachine: reports,
    mailClicked: reports,
    mailUnsubscribed: reports,
    mailComplained: reports,
    mailBounced: optional(object<BouncesPart>({ rev: number, bounced })),
  },
  indexes: [{ name: 'createdAt', key: { createdAt: 1 } }],
});
