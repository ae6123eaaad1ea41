import type { Format, FormatContext } from './formats/format.ts';
import { type Outcome, outcomeOf, skip } from './outcome.ts';
import type { Row } from './row.ts';

export function outcomeIn(row: Row, format: Format, context: FormatContext): Outcome {
  if (row.fault !== undefined) return skip(row.fault);
  const subscriber = format.read(row, context);
  return typeof subscriber === 'string' ? skip(subscriber) : outcomeOf(subscriber);
}
