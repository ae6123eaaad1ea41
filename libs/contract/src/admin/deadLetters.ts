import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { identityOf, integerOf, listOf, object, oneOf, optional } from '../values.ts';

const MAX_PAGE = 500;
const name = identityOf(1, 255);
const reasons = ['decode', 'unknown', 'handler'] as const;

/** Fields that select dead letters; those left out select all. */
const filter = { topic: optional(name), group: optional(name), reason: optional(oneOf(reasons)) };
const page = { after: optional(name), limit: optional(integerOf(1, MAX_PAGE)) };

const deadLetter = z.object({
  id: z.string(),
  reason: z.enum(reasons),
  error: z.string(),
  group: z.string(),
  topic: z.string(),
  partition: z.int(),
  offset: z.int(),
  key: z.string(),
  published_at: z.string(),
  payload_bytes: z.int(),
  /** SHA-256 of a payload of which only the beginning was kept. Such a record cannot be redriven. */
  cut_sha256: z.string().nullable(),
  redriven_at: z.string().nullable(),
});

const example: z.output<typeof deadLetter> = {
  id: '0mk8w2s00-5b1f0a9c7d3e-2f4a61',
  reason: 'decode',
  error: 'bug: RangeError: index out of range',
  group: 'statistics',
  topic: 'tidings.outcomes',
  partition: 3,
  offset: 1207,
  key: 'C3F8-C3863ED4-334AD4F1/1/0',
  published_at: '2026-01-15T12:00:00Z',
  payload_bytes: 4,
  cut_sha256: null,
  redriven_at: null,
};

/**
 * Lists the records that a consumer could not handle, the earliest published first: up to `limit` (100) after the identifier `after`. Those that
 * were redriven are listed if `state` is `redriven` (architecture 6).
 */
export const listDeadLetters = admin('listDeadLetters', {
  route: 'GET dead-letters',
  input: object({ ...filter, ...page, state: optional(oneOf(['open', 'redriven'])) }),
  output: z.object({ dead_letters: z.array(deadLetter), next: z.string().nullable() }),
  examples: [
    { request: {}, reply: { dead_letters: [example], next: null } },
    {
      request: {
        topic: 'tidings.outcomes',
        group: 'statistics',
        reason: 'decode',
        state: 'open',
        limit: 1,
        after: 'a',
      },
      reply: { dead_letters: [example], next: example.id },
    },
  ],
});

/** Returns a dead letter with its headers and payload (architecture 6). */
export const getDeadLetter = admin('getDeadLetter', {
  route: 'GET dead-letters/{id}',
  input: object({ id: name }),
  output: deadLetter.extend({ headers: z.record(z.string(), z.string()), payload: z.string() }),
  examples: [{ request: { id: example.id }, reply: { ...example, headers: {}, payload: 'AAECAw==' } }],
});

/**
 * Publishes dead letters to their topics again, the earliest published first: those of `ids`, else those that the other fields select, at most `limit`
 * (500) after the identifier `after`. Every group of the topic receives them; one that fails again becomes another dead letter. Repeat the call with
 * `after` set to `next` until that is null (architecture 6).
 */
export const redriveDeadLetters = admin('redriveDeadLetters', {
  route: 'POST dead-letters/redrive',
  input: object({ ids: optional(listOf(name, MAX_PAGE)), ...filter, ...page }),
  output: z.object({
    redriven: z.int(),
    stuck: z.array(z.object({ id: z.string(), reason: z.string() })),
    next: z.string().nullable(),
  }),
  examples: [
    { request: { ids: [example.id] }, reply: { redriven: 1, stuck: [], next: null } },
    {
      request: { topic: 'tidings.outcomes', group: 'statistics', reason: 'decode', after: 'a', limit: 500 },
      reply: { redriven: 0, stuck: [{ id: example.id, reason: 'only its beginning was kept' }], next: null },
    },
  ],
});
