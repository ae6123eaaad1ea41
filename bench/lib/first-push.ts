import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import type { Providers } from './world.ts';

const CHECK_INTERVAL_MS = 20;

/** @param send resolves when it needs no waiting for any more */
export async function secondsToFirstPush({ controlUrl }: Providers, send: () => Promise<unknown>): Promise<number> {
  const control = new HttpClient(controlUrl, 1);
  try {
    await control.send('/ledger/reset', { method: 'POST', body: {} });
    const begunAt = performance.now();
    const sending = send();
    let failed: unknown;
    sending.catch((error: unknown) => (failed = error));
    while (failed === undefined && (await pushesIn(control)) === 0) await delay(CHECK_INTERVAL_MS);
    const seconds = (performance.now() - begunAt) / 1000;
    await sending;
    return seconds;
  } finally {
    control.close();
  }
}

export async function pushesIn(control: HttpClient): Promise<number> {
  const { body } = await control.send('/ledger/summary');
  const { apns, fcm } = body as Readonly<Record<'apns' | 'fcm', { readonly accepted: number }>>;
  return apns.accepted + fcm.accepted;
}
