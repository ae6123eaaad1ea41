import { withOffsets } from '@tidings/audience';
import type { Audience, Expression, Offsets, Selection } from '@tidings/events';
import { chunkOf, type Clock } from '@tidings/kernel';
import { namedIn } from '@tidings/messaging';
import { Columns, type DeviceScan } from '@tidings/registry-store';
import type { RecipientsFound, RecipientsQuery, Segments } from '@tidings/rpc';
import { canMatch } from '@tidings/segments';

export interface RecipientsDeps {
  readonly scan: DeviceScan;
  readonly clock: Clock;
}

/** A search that reaches this many devices is undecided. */
const MAX_READ = 5_000;
const NO_EXTRAS = { badge: false, values: [], languages: undefined } as const;

const hasAddressed = ({ platforms: present, count }: Columns, { platforms }: Audience): boolean =>
  count > 0 && (platforms.length === 0 || present.subarray(0, count).some((platform) => platforms.includes(platform)));

interface Searched {
  readonly application: string;
  readonly audience: Audience;
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
    if (hasAddressed(columns, audience)) return true;
  }
  return false;
}

function addressedBy(
  expression: Expression | undefined,
  { application, audience, withoutToken }: Searched,
): Expression {
  const value = { application, platforms: audience.platforms, withToken: !withoutToken };
  const addressed: Expression = { node: { $case: 'application', value } };
  return expression ? { node: { $case: 'all', value: { of: [expression, addressed] } } } : addressed;
}

async function isAmongSelected(
  { expression: selection, circle, bySiblings }: Selection,
  searched: Searched,
  offsets: Offsets,
  { scan, columns }: Reading,
): Promise<boolean> {
  const { application, now } = searched;
  const expression = addressedBy(selection, searched);
  if (!canMatch(expression, { now, application, bySiblings })) return false;
  for (const range of [...offsets.ranges, ...(offsets.without ? [undefined] : [])]) {
    const among = range ? { ranges: [range], without: false } : { ranges: [], without: true };
    const selected = { expression: withOffsets(expression, among), now, circle, bySiblings };
    const isDecided = await scan.first(columns, application, range, selected, MAX_READ);
    if (!isDecided || columns.count > 0) return true;
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
      return isAmongNamed(namedIn(target.value, searched.application), searched, offsets, reading);
    case 'selection':
      return isAmongSelected(target.value, searched, offsets, reading);
    case undefined:
      return false;
  }
}

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
