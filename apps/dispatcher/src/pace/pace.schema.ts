import { defineModel, inDays, number, text } from '@tidings/mongo';
import { type PaceDocument, PACES_KEPT_MS } from './mongo-paces.ts';

export const pacesModel = defineModel<PaceDocument>({
  name: 'paces',
  retention: `${inDays(PACES_KEPT_MS)} from the last push`,
  fields: { _id: text, until: number },
  indexes: [{ name: 'until', key: { until: 1 } }],
});
