import {
  final,
  interned,
  type Refusal,
  retry,
  sent,
  type ResultRow,
  type SendResult,
  unlisted,
} from '../send-results.ts';

/** LINE has no codes: 400 and 429 depend on the text. */
const rows = {
  recipient: { category: 'INVALID_TOKEN', then: final },
  content: { category: 'INVALID_CONTENT', then: final },
  configuration: { category: 'INVALID_CONFIGURATION', then: final },
  rate: { category: 'QUOTA_EXCEEDED', then: retry(1_000, 'credential') },
  month: { category: 'QUOTA_EXCEEDED', then: final },
} as const satisfies Readonly<Record<string, ResultRow>>;

interface Reply {
  readonly message: string;
  readonly properties: readonly unknown[];
}

const isRecipient = ({ message, properties }: Reply): boolean =>
  properties.includes('to') || /\bproperty, '?to'?,/.test(message);

function rowOf(status: number, reply: Reply): ResultRow | undefined {
  switch (status) {
    case 400:
      return isRecipient(reply) ? rows.recipient : rows.content;
    case 401:
    case 403:
      return rows.configuration;
    case 429:
      return /\bmonthly\b/i.test(reply.message) ? rows.month : rows.rate;
    default:
      return undefined;
  }
}

const unlistedResults = interned(unlisted);

const resultsOf = new Map(
  Object.values<ResultRow>(rows).map((row) => [
    row,
    interned((status, name): SendResult => ({ ...row, code: String(status), name })),
  ]),
);

function replyIn(body: string): Reply {
  try {
    const { message, details } = JSON.parse(body) as { readonly message?: unknown; readonly details?: unknown };
    const listed = Array.isArray(details) ? (details as readonly unknown[]) : [];
    const properties = listed.map((each) => (each as { readonly property?: unknown } | null)?.property);
    return { message: typeof message === 'string' ? message : '', properties };
  } catch {
    return { message: 'unreadable_reply', properties: [] };
  }
}

const ACCEPTED_ALREADY = 409;

export function lineRefusal(status: number, body: string): Refusal {
  if (status === ACCEPTED_ALREADY) return { result: sent };
  const reply = replyIn(body);
  const row = rowOf(status, reply);
  return { result: (row ? resultsOf.get(row)! : unlistedResults)(status, reply.message) };
}
