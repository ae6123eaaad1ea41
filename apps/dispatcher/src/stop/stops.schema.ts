import { date, defineModel, inDays, text } from '@tidings/mongo';
import { type StopDocument, STOPS_KEPT_MS } from './mongo-stops.ts';

export const stopsModel = defineModel<StopDocument>({
  name: 'stops',
  retention: `${inDays(STOPS_KEPT_MS)} from the stop`,
  fields: { _id: text, at: date },
  indexes: [{ name: 'at', key: { at: 1 } }],
});
