import { sliceId } from '@tidings/delivery';
import { EnqueuedKind } from '@tidings/events';
import type { SentValues } from '@tidings/rpc';
import type { DueEvent } from './due-event.ts';
import { type Recipient, recipientsIn } from './recipient.ts';

type ByPosition = Map<number, DueEvent>;

export async function keptRecipients(
  sentValues: Pick<SentValues, 'find'>,
  due: readonly DueEvent[],
): Promise<ReadonlyMap<DueEvent, Recipient>> {
  const slices = new Map<string, { readonly of: DueEvent['enqueued']; readonly events: ByPosition }>();
  for (const event of due) {
    const { enqueued: of, position } = event;
    if (of.kind !== EnqueuedKind.ENQUEUED_KIND_SENT) continue;
    const id = sliceId({ ...of, number: of.slice });
    const slice = slices.get(id) ?? { of, events: new Map() };
    slice.events.set(position, event);
    slices.set(id, slice);
  }
  const kept = new Map<DueEvent, Recipient>();
  if (slices.size === 0) return kept;
  const requested = [...slices.values()];
  const { found } = await sentValues.find({
    slices: requested.map(({ of: { message, application, chunk, bucket, platform, variant, slice }, events }) => ({
      message,
      application,
      chunk,
      positions: [...events.keys()],
      slice: { bucket, platform, variant, number: slice },
    })),
  });
  for (const { slice, batch } of found) {
    const events = requested[slice]?.events;
    if (!events || !batch) continue;
    for (const recipient of recipientsIn(batch)) {
      const event = events.get(recipient.columns.positions[recipient.index]!);
      if (event) kept.set(event, recipient);
    }
  }
  return kept;
}
