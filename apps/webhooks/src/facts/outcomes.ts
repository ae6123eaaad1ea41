import { ALERT, localResults } from '@tidings/channels';
import { resultsIn } from '@tidings/delivery';
import { type BouncedSet, EnqueuedKind, type FailedSet, type PlanEvent, type SliceOutcome } from '@tidings/events';
import { Bitmap, Platform } from '@tidings/kernel';
import type { SentDevices } from './delivery-state.ts';
import type { OutcomeDevices } from './outcome-events.ts';

export function sentIn(of: SliceOutcome): SentDevices[] {
  const { bucket, variant, number: slice, entry } = of;
  const sent = resultsIn(of)?.sent ?? [];
  return sent.map(({ platform, set }) => ({ bucket, platform, variant, slice, entry, devices: Bitmap.decode(set) }));
}

type Of = Pick<OutcomeDevices, 'bucket' | 'variant' | 'entry'>;

const devicesOf = (
  of: Of,
  kind: OutcomeDevices['kind'],
  { category, code, name, platform, set }: FailedSet | BouncedSet,
): OutcomeDevices => ({
  ...of,
  kind,
  platform,
  devices: Bitmap.decode(set),
  details: { category, code, name, text: '' },
});

export function outcomesIn(outcome: SliceOutcome): OutcomeDevices[] {
  const { bucket, variant, entry } = outcome;
  const { sent = [], bounced = [], failed = [] } = resultsIn(outcome) ?? {};
  const of = { bucket, variant, entry };
  const refused = Bitmap.union(bounced.map(({ set }) => Bitmap.decode(set)));
  const mails = sent.filter(({ platform }) => platform === Platform.Email);
  return [
    ...mails.map(({ platform, set }): OutcomeDevices => {
      const devices = Bitmap.decode(set).minus(refused);
      return { ...of, kind: EnqueuedKind.ENQUEUED_KIND_DELIVERED, platform, devices };
    }),
    ...bounced.map((one) => devicesOf(of, EnqueuedKind.ENQUEUED_KIND_BOUNCED, one)),
    ...failed.map((one) => devicesOf(of, EnqueuedKind.ENQUEUED_KIND_FAILED, one)),
  ];
}

function failedSetsOf(of: PlanEvent | SliceOutcome): readonly FailedSet[] {
  if ('outcome' in of) return resultsIn(of)?.failed ?? [];
  return of.event?.$case === 'chunk' ? of.event.value.failed : [];
}

export const isOfDeletedApplication = (of: PlanEvent | SliceOutcome): boolean =>
  failedSetsOf(of).some(({ name }) => name === localResults.applicationDeleted.name);

export const failedInPlan = ({ bucket, event }: PlanEvent): OutcomeDevices[] =>
  event?.$case === 'chunk'
    ? event.value.failed.map((one) => devicesOf({ bucket, variant: ALERT }, EnqueuedKind.ENQUEUED_KIND_FAILED, one))
    : [];
