export const OUTGOING = 'outgoing';
export const PLANS = 'plans';
export const FANOUTS = 'fanouts';
export const COUNTED_PAGES = 'countedPages';
export const BADGE_BLOCKS = 'badgeBlocks';

export const planIndexes = {
  inboxChunk: 'inbox_chunk',
  inboxSeqs: 'inbox_seqs',
} as const;
