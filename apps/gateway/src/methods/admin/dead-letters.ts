import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { DeadLetterView } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

type Shown = OutputOf<typeof api.listDeadLetters>['dead_letters'][number];

const DEFAULT_PAGE = 100;
const MAX_REDRIVEN = 500;

const shown = (view: DeadLetterView): Shown => ({
  id: view.id,
  reason: view.reason as Shown['reason'],
  error: view.error,
  group: view.group,
  topic: view.topic,
  partition: view.partition,
  offset: Number(view.offset),
  key: view.key,
  published_at: rfc3339(view.publishedAt ?? new Date(0)),
  payload_bytes: Number(view.payloadBytes),
  cut_sha256: view.cutSha256 || null,
  redriven_at: rfc3339(view.redrivenAt),
});

type Selection = { readonly topic?: string; readonly group?: string; readonly reason?: string };

const filterOf = ({
  topic = '',
  group = '',
  reason = '',
}: { [Key in keyof Selection]: Selection[Key] | undefined }) => ({
  topic,
  group,
  reason,
});

export const listDeadLetters: Handler<typeof api.listDeadLetters, 'deadLetters'> = async (input, { deadLetters }) => {
  const { after = '', limit = DEFAULT_PAGE, state = 'open' } = input;
  const found = await deadLetters.listDeadLetters({
    filter: filterOf(input),
    redriven: state === 'redriven',
    after,
    limit,
  });
  const listed = found.deadLetters.map(shown);
  return { dead_letters: listed, next: listed.length < limit ? null : (listed.at(-1)?.id ?? null) };
};

export const getDeadLetter: Handler<typeof api.getDeadLetter, 'deadLetters'> = async ({ id }, { deadLetters }) => {
  const { deadLetter } = await deadLetters.findDeadLetter({ id });
  if (!deadLetter) throw Fault.notFound('Dead letter not found');
  const { headers, payload } = deadLetter;
  return { ...shown(deadLetter), headers, payload: Buffer.from(payload).toString('base64') };
};

export const redriveDeadLetters: Handler<typeof api.redriveDeadLetters, 'deadLetters'> = async (
  input,
  { deadLetters },
) => {
  const { ids = [], after = '', limit = MAX_REDRIVEN } = input;
  const { redriven, stuck, next } = await deadLetters.redrive({ ids, filter: filterOf(input), after, limit });
  return { redriven, stuck, next: next || null };
};
