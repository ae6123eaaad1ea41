/** The copies of messages on their way. */
export const OUTGOING = 'outgoing';
export const PLANS = 'plans';
/** The splits of messages into chunks. */
export const FANOUTS = 'fanouts';
/** The sends of a chunk that count for frequency caps on one day. */
export const COUNTED_PAGES = 'countedPages';
/** The badges that plans have allotted. */
export const BADGE_BLOCKS = 'badgeBlocks';

/** Names of the indexes of plans, for hints. */
export const planIndexes = {
  /** { inbox.app, inbox.chunk, at } of broadcasts */
  inboxChunk: 'inbox_chunk',
  /** { inbox.app, inbox.seqs } of named recipients */
  inboxSeqs: 'inbox_seqs',
} as const;
