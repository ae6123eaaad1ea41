import type { Suppressed } from '@tidings/delivery';
import { Bitmap, Platform } from '@tidings/kernel';
import {
  readSuppressed,
  suppressedSince,
  type SuppressionQuery,
  type Columns,
  SUPPRESSED_FLAGS,
} from '@tidings/registry-store';
import type { Db } from 'mongodb';

const noneSuppressed: Suppressed = [];

function emailPositions({ count, platforms, positions }: Columns): number[] {
  const found: number[] = [];
  for (let i = 0; i < count; i++) if (platforms[i] === Platform.Email) found.push(positions[i]!);
  return found;
}

export async function findSuppressed(db: Db, columns: Columns, query: SuppressionQuery): Promise<Suppressed> {
  const contacts = emailPositions(columns);
  if (contacts.length === 0) return noneSuppressed;
  const { byReason } = await readSuppressed(db, query, contacts);
  return [...byReason].flatMap(([reason, positions]) =>
    positions.size === 0 ? [] : [{ reason, set: Bitmap.of(positions) }],
  );
}

export async function markSuppressed(db: Db, columns: Columns, query: SuppressionQuery): Promise<void> {
  const contacts = emailPositions(columns);
  if (contacts.length === 0) return;
  const found = await readSuppressed(db, query, contacts);
  for (const position of contacts) {
    const reason = suppressedSince(found, position);
    // A contact deleted since the scan is still in the columns.
    if (reason && reason !== 'GONE') columns.flags[columns.rowOf(position)]! |= SUPPRESSED_FLAGS[reason];
  }
}
