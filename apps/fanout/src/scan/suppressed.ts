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

const nobody: Suppressed = [];

/** The positions of the e-mail contacts that have been scanned. */
function mailPositions({ count, platforms, positions }: Columns): number[] {
  const found: number[] = [];
  for (let i = 0; i < count; i++) if (platforms[i] === Platform.Email) found.push(positions[i]!);
  return found;
}

/** The scanned e-mail contacts that get no mail, by reason, in the order in which the reasons apply (R-H11, R-E14). */
export async function findSuppressed(db: Db, columns: Columns, query: SuppressionQuery): Promise<Suppressed> {
  const contacts = mailPositions(columns);
  if (contacts.length === 0) return nobody;
  const { byReason } = await readSuppressed(db, query, contacts);
  return [...byReason].flatMap(([reason, positions]) =>
    positions.size === 0 ? [] : [{ reason, set: Bitmap.of(positions) }],
  );
}

/** Marks the contacts of the columns that get no mail any more, for slices that are emitted some time after the plan (R-E14, R-E18). */
export async function markSuppressed(db: Db, columns: Columns, query: SuppressionQuery): Promise<void> {
  const contacts = mailPositions(columns);
  if (contacts.length === 0) return;
  const found = await readSuppressed(db, query, contacts);
  for (const position of contacts) {
    const reason = suppressedSince(found, position);
    // A contact that has been deleted since the scan is still in the columns, like any other device.
    if (reason && reason !== 'GONE') columns.flags[columns.rowOf(position)]! |= SUPPRESSED_FLAGS[reason];
  }
}
