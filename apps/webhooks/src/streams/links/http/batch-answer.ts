import { isAck } from '../link-port.ts';

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

export const mayBeAnswers = (beginning: string): boolean => /^\s*\[/.test(beginning);

/** A 2xx acknowledges all events, unless the body lists answers (R-EV6). */
export function batchAnswer(body: string): BatchAnswer {
  const list = mayBeAnswers(body) ? parsed(body) : undefined;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isAnswer)) return 'all';
  return new Map(list.map(({ uuid, status }) => [uuid, String(status)]));
}

export function refusalIn(answer: BatchAnswer, uuid: string): { readonly status: string | undefined } | undefined {
  if (answer === 'all') return undefined;
  const status = answer.get(uuid);
  return status !== undefined && isAck(status) ? undefined : { status };
}
