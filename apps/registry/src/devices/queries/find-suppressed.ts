import type { SuppressedSince } from '@tidings/delivery';
import { CHUNK_SIZE, Fault } from '@tidings/kernel';
import { readSuppressed, suppressedSince } from '@tidings/registry-store';
import type { ContactsOfSlice, Devices } from '@tidings/rpc';
import type { Db } from 'mongodb';

const MAX_SLICES = 100;

async function suppressedIn(
  db: Db,
  { marketing, category, positions, ...slice }: ContactsOfSlice,
): Promise<ReadonlyMap<SuppressedSince | undefined, number[]>> {
  const query = { ...slice, transactional: !marketing, category: category === '' ? undefined : category };
  const found = await readSuppressed(db, query, positions);
  return Map.groupBy(positions, (position) => suppressedSince(found, position));
}

export const suppressedRpc = ({ db }: { readonly db: Db }): Pick<Devices, 'findSuppressed'> => ({
  async findSuppressed({ slices }) {
    const contacts = slices.reduce((sum, { positions }) => sum + positions.length, 0);
    if (slices.length > MAX_SLICES) throw Fault.argument(`at most ${MAX_SLICES} slices`);
    if (contacts > CHUNK_SIZE) throw Fault.argument(`at most ${CHUNK_SIZE} contacts`);
    const suppressed = await Promise.all(slices.map((slice) => suppressedIn(db, slice)));
    return {
      found: suppressed.flatMap((byReason, slice) =>
        [...byReason].flatMap(([reason, positions]) => (reason ? [{ slice, reason, positions }] : [])),
      ),
    };
  },
});
