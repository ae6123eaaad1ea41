import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { integer, object, oneOf } from '../values.ts';

const topic = z.object({
  topic: z.string().describe('Name of the topic.'),
  handled: z.int().describe('Number of its records handled so far.'),
  total: z.int().describe('Number of its records to handle.'),
});

const PROJECTION = 'The projection: `statistics`, which metrics and funnels are counted from, or `conversions`.';

const replay = z.object({
  id: z.int().describe('Number of the replay.'),
  projection: z.string().describe(PROJECTION),
  state: z.enum(['running', 'done', 'canceled']).describe('`running`, `done` or `canceled`.'),
  started: z.string().describe('Time at which it began: RFC 3339, in UTC.'),
  finished: z
    .string()
    .nullable()
    .describe(
      'Time at which queries began to read the new projection, or the replay was canceled: RFC 3339, in UTC; null ' +
        'before it.',
    ),
  handled: z.int().describe('Number of records handled so far, of all topics.'),
  total: z.int().describe('Number of records to handle; it grows when the reading of a topic begins.'),
  skipped: z.int().describe('Number of records that could not be handled. They do not stop a replay.'),
  rate: z.int().describe('Records handled a second.'),
  topics: z.array(topic).describe('Progress by topic.'),
  kept: z
    .object({
      before: z.string().describe('Beginning of the topics: RFC 3339, in UTC. Older figures were kept.'),
      messages: z.int().describe('Number of messages whose figures were kept.'),
      blocks: z.int().describe('Number of blocks of conversions that were kept.'),
    })
    .nullable()
    .describe(
      'Figures that are older than the topics, and were taken from the former projection; null if there are none.',
    ),
});

const topics = [
  { topic: 'tidings.message-times', handled: 12, total: 12 },
  { topic: 'tidings.messages', handled: 30, total: 30 },
  { topic: 'tidings.outcomes', handled: 21_000, total: 40_000 },
  { topic: 'tidings.plans', handled: 320, total: 320 },
  { topic: 'tidings.reports', handled: 118_638, total: 1_900_000 },
];
const running = {
  id: 3,
  projection: 'statistics',
  state: 'running' as const,
  started: '2026-01-15T12:00:00Z',
  finished: null,
  handled: 140_000,
  total: 1_940_362,
  skipped: 0,
  rate: 70_000,
  topics,
  kept: null,
};
const begun = { ...running, handled: 0, total: 0, rate: 0, topics: [] };

export const startReplay = admin('startReplay', {
  description:
    'Begins to rebuild a projection from its topics; queries are answered from the former one until the new one has ' +
    'all facts. 409 while another replay is running.',
  route: 'POST replay',
  status: 202,
  input: object({
    projection: oneOf(['statistics', 'conversions']).describe(PROJECTION),
  }),
  output: replay,
  examples: [{ request: { projection: 'statistics' }, reply: begun }],
});

export const cancelReplay = admin('cancelReplay', {
  description:
    'Cancels a running replay: what it has built is dropped, and the projection that is read stays as it is. 404 for ' +
    'an unknown number, 409 if the replay is not running any more; a canceled one is answered as it is.',
  route: 'DELETE replay/{id}',
  input: object({ id: integer.describe('Number of the replay.') }),
  output: replay,
  examples: [{ request: { id: 3 }, reply: { ...running, state: 'canceled', finished: '2026-01-15T12:00:02Z' } }],
});

export const lastReplay = admin('lastReplay', {
  description: 'The progress of the replay that began last, and its result; 404 if there was none.',
  route: 'GET replay',
  input: object({}),
  output: replay,
  examples: [{ request: {}, reply: running }],
});
