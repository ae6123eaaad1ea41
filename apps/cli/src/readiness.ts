import type { ApiClient } from '@tidings/client';

export interface Readiness {
  readonly isReady: boolean;
  readonly status: number;
  readonly waitingFor: readonly string[];
  readonly notes: Readonly<Record<string, string>>;
}

export async function readinessOf(client: ApiClient): Promise<Readiness> {
  const { status, body } = await client.http.send('/readyz');
  const { details = {} } = body as { readonly details?: Readonly<Record<string, Detail>> };
  const waitingFor = Object.entries(details).flatMap(([name, of]) => (of.status === 'up' ? [] : [name]));
  const notes = Object.entries(details).flatMap(([name, { status: state, message }]) =>
    state === 'up' && message !== undefined ? [[name, message] as const] : [],
  );
  return { isReady: status === 200, status, waitingFor, notes: Object.fromEntries(notes) };
}

interface Detail {
  readonly status: string;
  readonly message?: string;
}
