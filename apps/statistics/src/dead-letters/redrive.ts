import { Fault } from '@tidings/kernel';
import type { Broker } from '@tidings/streaming';
import type { DeadLetterDocument } from '../storage/dead-letters.schema.ts';
import type { DeadLetterFilter, DeadLetterStore, DeadLetterSummary, Page } from './dead-letter-store.ts';

export interface Redriven {
  readonly redriven: number;
  readonly stuck: readonly { readonly id: string; readonly reason: string }[];
  readonly next: string | undefined;
}

const BATCH_BYTES = 8 << 20;

interface RedriveDeps {
  readonly store: DeadLetterStore;
  readonly broker: Pick<Broker, 'publish'>;
  readonly now: () => Date;
}

/** A repeated call may publish some twice: consumers are idempotent. @throws Fault `unavailable` while the broker is away */
export async function redrive(deps: RedriveDeps, filter: DeadLetterFilter, page: Page): Promise<Redriven> {
  const found = await deps.store.list(filter, page, false);
  const stuck: { id: string; reason: string }[] = [];
  for (const { _id: id } of found.filter(({ cutSha256 }) => cutSha256))
    stuck.push({ id, reason: 'only its beginning was kept' });
  let redriven = 0;
  for (const batch of runsOf(found.filter(({ cutSha256 }) => !cutSha256))) {
    const refused = await sendBack(deps, batch);
    if (refused === undefined) redriven += batch.length;
    else for (const { _id: id } of batch) stuck.push({ id, reason: refused });
  }
  return { redriven, stuck, next: found.length < page.limit ? undefined : found.at(-1)?._id };
}

function runsOf(found: readonly DeadLetterSummary[]): DeadLetterSummary[][] {
  const runs: DeadLetterSummary[][] = [];
  let bytes = 0;
  for (const each of found) {
    const last = runs.at(-1);
    bytes += each.payloadBytes;
    if (last && last[0]!.topic === each.topic && bytes <= BATCH_BYTES) {
      last.push(each);
    } else {
      runs.push([each]);
      bytes = each.payloadBytes;
    }
  }
  return runs;
}

async function sendBack(
  { store, broker, now }: RedriveDeps,
  run: readonly DeadLetterSummary[],
): Promise<string | undefined> {
  const ids = run.map(({ _id }) => _id);
  try {
    await broker.publish(run[0]!.topic, recordsOf(await store.read(ids)));
  } catch (error) {
    const { kind, internal, message } = Fault.from(error);
    if (kind === 'unavailable') throw error;
    return internal ?? message;
  }
  await store.redriven(ids, now());
  return undefined;
}

const recordsOf = (read: readonly DeadLetterDocument[]) => [
  ...new Map(read.map((each) => [`${each.partition}/${each.offset}`, recordOf(each)])).values(),
];

const recordOf = ({ key, payload, headers }: DeadLetterDocument) => ({ key, value: payload.buffer, headers });
