import type { Format, FormatContext } from './formats/format.ts';
import type { Input } from './input-form.ts';
import { rowsOf } from './input.ts';
import type { Outcome } from './outcome.ts';
import { outcomeIn } from './read-row.ts';
import type { Row } from './row.ts';
import type { Mapped } from './upload.ts';

const BATCH_BYTES = 16 * 1024 * 1024;

const sizeOf = ({ values }: Row): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0)),
    0,
  );

function withTags(outcome: Outcome, isWanted: (tag: string) => boolean): Outcome {
  if (outcome.kind !== 'register' && outcome.kind !== 'unsubscribe') return outcome;
  const tags = Object.entries(outcome.device.tags ?? {}).filter(([name]) => isWanted(name));
  return { ...outcome, device: { ...outcome.device, tags: tags.length > 0 ? Object.fromEntries(tags) : undefined } };
}

export interface Source {
  readonly input: Input;
  readonly format: Format;
  readonly context: FormatContext;
  readonly isWanted: (tag: string) => boolean;
  readonly batchRows: number;
}

/** @param from rows that are left out */
export async function* batchesOf(
  { input, format, context, isWanted, batchRows }: Source,
  from: number,
): AsyncGenerator<readonly Mapped[]> {
  let batch: Mapped[] = [];
  let [index, bytes] = [0, 0];
  for await (const row of rowsOf(input)) {
    if (index++ < from) continue;
    const size = sizeOf(row);
    if (batch.length === batchRows || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push({ row, outcome: withTags(outcomeIn(row, format, context), isWanted) });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
