import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { identityOf, integerOf, listOf, object, oneOf, optional } from '../values.ts';

const MAX_PAGE = 500;
const name = identityOf(1, 255);
const reasons = ['decode', 'unknown', 'handler'] as const;

const filterOf = (effect: 'Lists' | 'Redrives') => ({
  topic: optional(name).describe(`${effect} only records of this topic.`),
  group: optional(name).describe(`${effect} only records that this consumer group could not handle.`),
  reason: optional(oneOf(reasons)).describe(`${effect} only records that were dead-lettered for this reason.`),
});
const page = {
  after: optional(name).describe(
    'Identifier of the last dead letter of the page before, or `next` of the call before; left out: from the first.',
  ),
  limit: optional(integerOf(1, MAX_PAGE)).describe('Maximum number of dead letters, up to 500.'),
};

const deadLetter = z.object({
  id: z.string().describe('Identifies the dead letter. Identifiers are in the order of publication.'),
  reason: z
    .enum(reasons)
    .describe(
      '`decode`: it could not be decoded; `unknown`: the version does not have its kind; `handler`: its handler ' +
        'failed on every try.',
    ),
  error: z.string().describe('The error of the last try.'),
  group: z.string().describe('The consumer group that could not handle it.'),
  topic: z.string().describe('Topic of the record.'),
  partition: z.int().describe('Partition of the record.'),
  offset: z.int().describe('Offset of the record in its partition.'),
  key: z.string().describe('Key of the record.'),
  published_at: z.string().describe('Time at which the record was published: RFC 3339, in UTC.'),
  payload_bytes: z.int().describe('Size of the payload in bytes.'),
  cut_sha256: z
    .string()
    .nullable()
    .describe(
      'SHA-256 of the payload, if only its beginning was kept; such a record cannot be redriven. Null if it was kept ' +
        'whole.',
    ),
  redriven_at: z.string().nullable().describe('Time at which it was redriven: RFC 3339, in UTC; null before it.'),
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

export const listDeadLetters = admin('listDeadLetters', {
  description:
    'Lists the records that a consumer could not handle, the earliest published first: up to `limit` (100) after the ' +
    'identifier `after`. Those that were redriven are listed if `state` is `redriven`.',
  route: 'GET dead-letters',
  input: object({
    ...filterOf('Lists'),
    ...page,
    state: optional(oneOf(['open', 'redriven'])).describe('`open`, the default, or `redriven`.'),
  }),
  output: z.object({
    dead_letters: z.array(deadLetter).describe('The dead letters, the earliest published first.'),
    next: z.string().nullable().describe('Identifier to continue after; null if there are no more.'),
  }),
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

export const getDeadLetter = admin('getDeadLetter', {
  description: 'Returns a dead letter with its headers and payload.',
  route: 'GET dead-letters/{id}',
  input: object({ id: name.describe('Identifies the dead letter. Identifiers are in the order of publication.') }),
  output: deadLetter.extend({
    headers: z.record(z.string(), z.string()).describe('Headers of the record.'),
    payload: z.string().describe('Payload of the record, in base64.'),
  }),
  examples: [{ request: { id: example.id }, reply: { ...example, headers: {}, payload: 'AAECAw==' } }],
});

export const redriveDeadLetters = admin('redriveDeadLetters', {
  description:
    'Publishes dead letters to their topics again, the earliest published first: those of `ids`, else those that the ' +
    'other fields select, at most `limit` (500) after the identifier `after`. Every group of the topic receives ' +
    'them; one that fails again becomes another dead letter. Repeat the call with `after` set to `next` until that ' +
    'is null.',
  route: 'POST dead-letters/redrive',
  input: object({
    ids: optional(listOf(name, MAX_PAGE)).describe(
      'Identifiers of dead letters; the other fields then select among them.',
    ),
    ...filterOf('Redrives'),
    ...page,
  }),
  output: z.object({
    redriven: z.int().describe('Number of dead letters whose records were published again.'),
    stuck: z
      .array(
        z.object({
          id: z.string().describe('Identifies the dead letter.'),
          reason: z.string().describe('Why it cannot be redriven.'),
        }),
      )
      .describe('Dead letters that cannot be redriven. They stay dead letters.'),
    next: z.string().nullable().describe('Identifier to continue after; null if there are no more.'),
  }),
  examples: [
    { request: { ids: [example.id] }, reply: { redriven: 1, stuck: [], next: null } },
    {
      request: { topic: 'tidings.outcomes', group: 'statistics', reason: 'decode', after: 'a', limit: 500 },
      reply: { redriven: 0, stuck: [{ id: example.id, reason: 'only its beginning was kept' }], next: null },
    },
  ],
});
