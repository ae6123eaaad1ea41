import { date, defineModel, inDays, optional, text } from '@tidings/mongo';

/** Topics of work hold facts for 7 days. */
export const PURGED_KEPT_MS = 8 * 86_400_000;

export interface PurgedApplication {
  readonly _id: string;
  readonly purgedAt: Date;
  readonly dueAt?: Date;
}

export const purgedApplicationsModel = defineModel<PurgedApplication>({
  name: 'purgedApplications',
  retention: `${inDays(PURGED_KEPT_MS)} after the deletion`,
  fields: { _id: text, purgedAt: date, dueAt: optional(date) },
  indexes: [
    { name: 'dueAt', key: { dueAt: 1 }, sparse: true },
    { name: 'purgedAt', key: { purgedAt: 1 } },
  ],
});
