import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import { Fault } from '@tidings/kernel';
import type { NodeProcess } from './node-process.ts';

const POLL_MS = 20;

export async function untilReady(url: string, child: Pick<NodeProcess, 'alive'>, timeoutMs: number): Promise<void> {
  const http = new HttpClient(url, 1);
  const deadline = performance.now() + timeoutMs;
  try {
    while (child.alive()) {
      const reply = await http.send('/readyz').catch(() => undefined);
      if (reply?.status === 200) return;
      if (performance.now() > deadline) {
        throw Fault.unavailable(`${url} is not ready after ${timeoutMs} ms: ${JSON.stringify(reply?.body)}`);
      }
      await delay(POLL_MS);
    }
  } finally {
    http.close();
  }
}
