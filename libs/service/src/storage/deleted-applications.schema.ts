import { date, defineModel, number, text } from '@tidings/mongo';

/** An application that was deleted, as a service that follows deletions remembers it. */
export interface DeletedDocument {
  /** Code of the application. */
  readonly _id: string;
  readonly account: string;
  /** Time at which this service read of the deletion. */
  readonly deletedAt: Date;
  readonly looks: number;
  readonly dueAt: Date;
}

/** The deleted applications that a service may still hold something of. */
export const deletedApplicationsModel = defineModel<DeletedDocument>({
  name: 'deletedApplications',
  retention: '8 to 16 days after the deletion',
  fields: { _id: text, account: text, deletedAt: date, looks: number, dueAt: date },
  indexes: [{ name: 'due', key: { dueAt: 1 } }],
});
