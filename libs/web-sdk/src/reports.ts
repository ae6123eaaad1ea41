import { callMethod, type Parameters } from './call.ts';
import { isUnreachable } from './failure.ts';
import { type Sleep, sleep, withRetries } from './retry.ts';
import { readDevice, type ReportStore, reportStore } from './browser-store.ts';

export interface ReportDeps {
  readonly store: ReportStore;
  readonly send: (method: string, parameters: Parameters) => Promise<unknown>;
  readonly sleep: Sleep;
}

export const MAX_STORED = 100;
export const MAX_ROUNDS = 5;

async function sendAsDevice(method: string, parameters: Parameters): Promise<unknown> {
  const device = await readDevice();
  return device && callMethod(device, method, { hwid: device.hwid, ...parameters });
}

const inBrowser: ReportDeps = { store: reportStore, send: sendAsDevice, sleep };

/** Never rejects. A report that stays unreachable is stored, one that is refused is dropped, and one that arrives sends the stored ones, too. */
export async function report(method: string, parameters: Parameters, deps: ReportDeps = inBrowser): Promise<void> {
  try {
    await withRetries(() => deps.send(method, parameters), deps.sleep);
  } catch (error) {
    if (isUnreachable(error)) await storeReport(method, parameters, deps).catch(() => undefined);
    return;
  }
  await sendStoredReports(deps).catch(() => undefined);
}

async function storeReport(method: string, parameters: Parameters, { store }: ReportDeps): Promise<void> {
  await store.put({ method, parameters, rounds: 0 });
  const stored = await store.all();
  await Promise.all(stored.slice(0, -MAX_STORED).map(([key]) => store.remove(key)));
}

/** Sends each stored report once, and stops at the first that is unreachable. A report is dropped in its fifth round. */
export async function sendStoredReports({ store, send }: ReportDeps = inBrowser): Promise<void> {
  for (const [key, stored] of await store.all()) {
    const rounds = stored.rounds + 1;
    let isLost = false;
    try {
      await send(stored.method, stored.parameters);
    } catch (error) {
      isLost = isUnreachable(error);
    }
    await (isLost && rounds < MAX_ROUNDS ? store.put({ ...stored, rounds }, key) : store.remove(key));
    if (isLost) return;
  }
}
