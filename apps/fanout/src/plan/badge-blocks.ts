import {
  badgeBlockOf,
  badgeBlocksOf,
  type BadgeRow,
  type BadgeRows,
  type ChunkKey,
  chunkRecordKey,
  decodeBadges,
  encodeBadges,
  positionsIn,
  withAllotted,
  withSettledBadges,
} from '@tidings/delivery';
import type { DocumentAddress } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import { bytesOf } from '@tidings/mongo';
import { BADGE_BLOCKS } from '@tidings/registry-store';
import type { Binary } from 'mongodb';

export interface BadgeBlock {
  readonly rows: BadgeRows;
}

export interface BadgeBlockDocument {
  readonly rows: Binary | Uint8Array;
}

type Chunk = Pick<ChunkKey, 'application' | 'chunk'>;

const blockAt = (chunk: Chunk, block: number): DocumentAddress => ({
  collection: BADGE_BLOCKS,
  id: `${chunkRecordKey(chunk)}/${block}`,
});

export const badgeBlocksAt = (chunk: Chunk, positions: Uint16Array): DocumentAddress[] =>
  badgeBlocksOf(positions).map((block) => blockAt(chunk, block));

export const badgeRowsIn =
  (get: (address: DocumentAddress) => unknown, chunk: Chunk): ((position: number) => BadgeRow | undefined) =>
  (position) =>
    (get(blockAt(chunk, badgeBlockOf(position))) as BadgeBlock | undefined)?.rows.get(position);

export function badgeBlocksOfEvent({ application, event }: PlanEvent): DocumentAddress[] {
  switch (event?.$case) {
    case 'badgesAllotted':
      return badgeBlocksAt({ application, chunk: event.value.chunk }, positionsIn(event.value.set));
    case 'badgesSettled': {
      const { chunk, failed, kept } = event.value;
      const addresses = [failed, kept].flatMap((set) => badgeBlocksAt({ application, chunk }, positionsIn(set)));
      return [...new Map(addresses.map((address) => [address.id, address])).values()];
    }
    default:
      return [];
  }
}

export function badgesWith(
  block: BadgeBlock | undefined,
  { message, bucket, event }: PlanEvent,
  { id }: DocumentAddress,
): BadgeBlock {
  const number = Number(id.slice(id.lastIndexOf('/') + 1));
  const send = sendIdOf({ message, bucket });
  switch (event?.$case) {
    case 'badgesAllotted':
      return { rows: withAllotted(block?.rows, event.value, number, send) };
    case 'badgesSettled':
      return { rows: withSettledBadges(block?.rows, event.value, number, send) };
    default:
      throw new Error(`badges: cannot apply ${event?.$case}`);
  }
}

export const badgeBlockDocument = ({ rows }: BadgeBlock): BadgeBlockDocument => ({ rows: encodeBadges(rows) });

export const badgeBlock = ({ rows }: BadgeBlockDocument): BadgeBlock => ({ rows: decodeBadges(bytesOf(rows)) });
