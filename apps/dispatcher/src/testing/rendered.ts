import { columnsOf } from '@tidings/delivery';
import type { SendBatch } from '@tidings/events';
import { type CompiledPayload, PayloadWriter } from '@tidings/messaging';

/** What the first device of a batch is sent, as text. */
export const rendered = (payload: CompiledPayload, batch: SendBatch, limit = Infinity): string =>
  new PayloadWriter().write(payload, columnsOf(batch), 0, limit).toString('utf8');
