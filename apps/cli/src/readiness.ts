import type { ApiClient } from '@tidings/client';

/** Whether the gateway is ready, and the services that it waits for. */
export interface Readiness {
  readonly isReady: boolean;
  readonly status: number;
  readonly waitingFor: readonly string[];
}

/** Reads `/readyz`. Rejects if nothing answers. */
export async function readinessOf(client: ApiClient): Promise<Readiness> {
  const { status, body } = await client.http.send('/readyz');
  const { details = {} } = body as { readonly details?: Readonly<Record<string, { readonly status: string }>> };
  const waitingFor = Object.entries(details).flatMap(([name, of]) => (of.status === 'up' ? [] : [name]));
  return { isReady: status === 200, status, waitingFor };
}
