import { isAck } from '../link-port.ts';

/** The answers to a batch by uuid; `all` = each event is acknowledged. */
export type BatchAnswer = 'all' | ReadonlyMap<string, string>;

interface Answer {
  readonly uuid: string;
  readonly status: string;
}

function isAnswer(entry: unknown): entry is Answer {
  if (typeof entry !== 'object' || entry === null) return false;
  const { uuid, status } = entry as Partial<Record<keyof Answer, unknown>>;
  return typeof uuid === 'string' && (typeof status === 'string' || typeof status === 'number');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Whether a body may be a list of answers, by its beginning: a body that is too long to be read is one of these or an acknowledgement. */
export const mayBeAnswers = (beginning: string): boolean => /^\s*\[/.test(beginning);

/**
 * Reads the body of a 2xx answer: it acknowledges all events, unless it is a list of `{"uuid","status"}`, which answers for each event that it
 * names (R-EV6). An empty list is no such list.
 */
export function batchAnswer(body: string): BatchAnswer {
  const list = mayBeAnswers(body) ? parsed(body) : undefined;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isAnswer)) return 'all';
  return new Map(list.map(({ uuid, status }) => [uuid, String(status)]));
}

/** Why an event of a batch is refused; undefined if it is acknowledged. */
export function refusalIn(answer: BatchAnswer, uuid: string): { readonly status: string | undefined } | undefined {
  if (answer === 'all') return undefined;
  const status = answer.get(uuid);
  return status !== undefined && isAck(status) ? undefined : { status };
}
