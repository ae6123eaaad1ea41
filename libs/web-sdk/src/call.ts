import { type Failure, failure, messageOf } from './failure.ts';

export interface Access {
  readonly url: string;
  readonly application: string;
  readonly token: string;
}

export type Parameters = Readonly<Record<string, unknown>>;

const REPEATABLE: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

interface Envelope {
  readonly status_code?: number;
  readonly status_message?: string;
  readonly response?: unknown;
}

/** Resolves to `response` of the reply. */
export async function callMethod(
  { url, application, token }: Access,
  method: string,
  parameters: Parameters,
): Promise<unknown> {
  const unreachable = (detail: unknown): Failure =>
    failure('unreachable', `Tidings does not answer ${method}: ${messageOf(detail)}.`, detail);
  const reply = await fetch(`${url}/json/1.3/${method}`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ request: { application, ...parameters } }),
    keepalive: true,
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  const status = `HTTP ${reply.status}`;
  if (REPEATABLE.has(reply.status)) throw unreachable(status);
  const body = (await reply.json().catch(() => ({}))) as Envelope;
  if (body.status_code === 200) return body.response;
  throw failure('refused', `Tidings refuses ${method}: ${body.status_message ?? status}.`);
}
