import { type TagDefinition, withOffsets } from '@tidings/audience';
import { changesBadges, deviceFieldsFor, languagesOf } from '@tidings/channels';
import type { ChunkKey, Suppressed } from '@tidings/delivery';
import type { Expression } from '@tidings/events';
import { type Bitmap, chunkOf, sendIdOf } from '@tidings/kernel';
import { namedIn } from '@tidings/messaging';
import type { Columns, DeviceScan } from '@tidings/registry-store';
import { renewed, tagsIn } from '@tidings/segments';
import type { Db } from 'mongodb';
import type { OutgoingMessages } from '../release/outgoing.ts';
import type { Released } from '../release/outgoing-message.ts';
import { type ChunkWork, suppressionQueryOf } from './chunk-work.ts';
import { findSuppressed, markSuppressed } from './suppressed.ts';

export interface ScanDeps {
  readonly db: Db;
  readonly scan: DeviceScan;
  readonly outgoing: OutgoingMessages;
  readonly findTags: (account: string, names: readonly string[]) => Promise<readonly (TagDefinition | undefined)[]>;
  readonly findClearingTags: (account: string) => Promise<readonly number[]>;
}

export async function chunkWorkOf(
  { findTags }: ScanDeps,
  message: Released,
  key: ChunkKey,
  isOnly = false,
): Promise<ChunkWork> {
  const { content, audience } = message.accepted;
  const names = content?.tags ?? [];
  const values = names.length > 0 ? await findTags(message.account, names) : [];
  const extras = {
    badge: changesBadges(content),
    values,
    fields: deviceFieldsFor(content),
    activity: audience?.target?.$case === 'selection' ? audience.target.value.activity : '',
    languages: content && languagesOf(content),
  };
  return { key, message, extras, isOnly };
}

export async function scanAudience(deps: ScanDeps, work: ChunkWork, columns: Columns): Promise<void> {
  const { scan, outgoing } = deps;
  const { key, message, extras, isOnly } = work;
  const { application, chunk } = key;
  const target = message.accepted.audience?.target;
  const offsets = message.step?.offsets;
  const now = message.releasedAt;
  switch (target?.$case) {
    case 'named': {
      const seqs = namedIn(target.value, application).filter((seq) => chunkOf(seq) === chunk);
      return scan.named(columns, application, seqs, extras, { expression: withOffsets(undefined, offsets), now });
    }
    case 'selection': {
      const { inbox, liveActivity } = message.accepted.content ?? {};
      const withoutToken = inbox !== undefined || liveActivity !== undefined;
      const current = await withoutDeletedTags(deps, message.account, target.value.expression);
      const expression = withOffsets(current, offsets);
      const selected = { ...target.value, expression, now, withoutToken };
      const lookup =
        isOnly || !expression
          ? []
          : await outgoing.lookupOf(sendIdOf(message), application, () => scan.chooseLookup(application, selected));
      return scan.selected(columns, key, selected, lookup, extras);
    }
    case undefined:
      // An audience of an unknown kind matches nobody.
      return scan.named(columns, application, [], extras);
  }
}

async function withoutDeletedTags(
  { findClearingTags }: ScanDeps,
  account: string,
  expression: Expression | undefined,
): Promise<Expression | undefined> {
  if (!expression || tagsIn(expression).size === 0) return expression;
  const deleted = await findClearingTags(account);
  return deleted.length === 0 ? expression : renewed(expression, (tag) => !deleted.includes(tag));
}

export const suppressedIn = ({ db }: ScanDeps, work: ChunkWork, columns: Columns): Promise<Suppressed> =>
  findSuppressed(db, columns, suppressionQueryOf(work));

export async function scanMembers(
  { db, scan }: ScanDeps,
  work: ChunkWork,
  columns: Columns,
  members: Bitmap,
): Promise<void> {
  const { key, extras } = work;
  await scan.at(columns, key.application, key.chunk, members, extras);
  await markSuppressed(db, columns, suppressionQueryOf(work));
}
