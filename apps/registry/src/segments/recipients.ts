import { withOffsets } from '@tidings/audience';
import { TOKEN_BIT } from '@tidings/channels';
import type { Audience, Offsets, Selection } from '@tidings/events';
import { chunkOf, type Clock } from '@tidings/kernel';
import type { RecipientsFound, RecipientsQuery, Segments } from '@tidings/rpc';
import { canMatch } from '@tidings/segments';
import { Columns } from '../fanout/scan/columns.ts';
import type { DeviceScan } from '../fanout/scan/scan.ts';

export interface RecipientsDeps {
  readonly scan: DeviceScan;
  readonly clock: Clock;
}

/** Devices read for one range of offsets of a selection. A search that ends there is undecided. */
const MAX_READ = 5_000;
const NO_EXTRAS = { badge: false, values: [], languages: undefined } as const;

/** Whether the devices in the columns have one that the message addresses. */
function hasAddressed(columns: Columns, { platforms }: Audience, needsToken: boolean): boolean {
  for (let row = 0; row < columns.count; row++) {
    const isAddressed = platforms.length === 0 || platforms.includes(columns.platforms[row]!);
    if (isAddressed && (!needsToken || (columns.fields[row]! & TOKEN_BIT) !== 0)) return true;
  }
  return false;
}

/** The audience of a message in an application. */
interface Searched {
  readonly application: string;
  readonly audience: Audience;
  /** Of a selection, devices without a token count, too. */
  readonly withoutToken: boolean;
  readonly now: Date;
}

async function isAmongNamed(
  seqs: readonly number[],
  { application, audience, now }: Searched,
  offsets: Offsets,
  { scan, columns }: Reading,
): Promise<boolean> {
  const selected = { expression: withOffsets(undefined, offsets), now };
  for (const ofChunk of Map.groupBy(seqs, chunkOf).values()) {
    await scan.named(columns, application, ofChunk, NO_EXTRAS, selected);
    if (hasAddressed(columns, audience, false)) return true;
  }
  return false;
}

async function isAmongSelected(
  { expression, circle, bySiblings }: Selection,
  { application, audience, withoutToken, now }: Searched,
  offsets: Offsets,
  { scan, columns }: Reading,
): Promise<boolean> {
  if (!canMatch(expression, { now, application, bySiblings })) return false;
  for (const range of [...offsets.ranges, ...(offsets.without ? [undefined] : [])]) {
    const among = range ? { ranges: [range], without: false } : { ranges: [], without: true };
    const selected = { expression: withOffsets(expression, among), now, circle, bySiblings };
    const isDecided = await scan.first(columns, application, range, selected, MAX_READ);
    if (!isDecided || hasAddressed(columns, audience, !withoutToken)) return true;
  }
  return false;
}

interface Reading {
  readonly scan: DeviceScan;
  readonly columns: Columns;
}

function isAmong(searched: Searched, offsets: Offsets, reading: Reading): Promise<boolean> | boolean {
  const { target } = searched.audience;
  switch (target?.$case) {
    case 'named':
      return isAmongNamed(target.value.seqs, searched, offsets, reading);
    case 'selection':
      return isAmongSelected(target.value, searched, offsets, reading);
    case undefined:
      return false;
  }
}

/** Answers whether audiences have devices with certain offsets (R-I9). A search in a selection reads a bounded number of devices. */
export function recipientsRpc({ scan, clock }: RecipientsDeps): Pick<Segments, 'hasRecipients'> {
  return {
    async hasRecipients({ queries }) {
      const reading = { scan, columns: new Columns() };
      const now = new Date(clock.now());
      const isFound = async (
        { applications, audience, withoutToken }: RecipientsQuery,
        offsets: Offsets,
      ): Promise<boolean> => {
        for (const application of audience ? applications : []) {
          if (await isAmong({ application, audience: audience!, withoutToken, now }, offsets, reading)) return true;
        }
        return false;
      };
      const found: RecipientsFound[] = [];
      for (const query of queries) {
        const among: boolean[] = [];
        for (const offsets of query.among) among.push(await isFound(query, offsets));
        found.push({ among });
      }
      return { found };
    },
  };
}
