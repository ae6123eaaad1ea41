import { date, defineModel, number, optional, record, text } from '@tidings/mongo';
import type { ThrottleDocument } from './throttles.ts';

export const throttlesModel = defineModel<ThrottleDocument>({
  name: 'throttles',
  retention: 'until the provider is sent to again, an operator lifts it, or a day has passed since its end',
  fields: {
    _id: text,
    channel: text,
    blockedUntil: date,
    probedUntil: optional(date),
    cause: text,
    versions: record(number),
  },
});
