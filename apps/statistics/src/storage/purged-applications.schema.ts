import { date, defineModel, inDays, optional, text } from '@tidings/mongo';

/** Time for facts of a deleted application to arrive: topics of work hold them for 7 days. */
export const PURGED_KEPT_MS = 8 * 86_400_000;

/** A deleted application, whose facts are not projected any more (R-B2, ADR 25). */
export interface PurgedApplication {
  /** Code of the application. */
  readonly _id: string;
  /** When this service learned of the deletion. */
  readonly purgedAt: Date;
  /** When its figures are removed once more; absent after that. */
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
