import { date, defineModel, number, text } from '@tidings/mongo';

export interface DeletedDocument {
  readonly _id: string;
  readonly account: string;
  readonly deletedAt: Date;
  readonly looks: number;
  readonly dueAt: Date;
}

export const deletedApplicationsModel = defineModel<DeletedDocument>({
  name: 'deletedApplications',
  retention: '8 to 16 days after the deletion',
  fields: { _id: text, account: text, deletedAt: date, looks: number, dueAt: date },
  indexes: [{ name: 'due', key: { dueAt: 1 } }],
});
