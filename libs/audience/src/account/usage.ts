import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { type Quotas, quotaReached } from '@tidings/kernel';
import { ownerOf } from './presets.ts';

type Counted = 'applications' | 'tags' | 'presets' | 'filters' | 'geozones';

export interface UsageState extends Readonly<Record<Counted, number>> {
  readonly kind: 'usage';
  readonly account: string;
  /** "" = the account itself. */
  readonly owner: string;
}

export interface UsageView {
  usage(owner: string): UsageState | undefined;
}

export const roomForTags = (view: UsageView, { tags }: Pick<Quotas, 'tags'>): number =>
  tags - (view.usage('')?.tags ?? 0);

type Change = AccountEvent['event'];

export interface Growth {
  readonly owner: string;
  readonly of: Counted;
  readonly by: 1 | -1;
}

export function growthOf(change: Change): Growth | undefined {
  switch (change?.$case) {
    case 'applicationCreated':
      return { owner: '', of: 'applications', by: 1 };
    case 'applicationDeleted':
      return { owner: '', of: 'applications', by: -1 };
    case 'tagAdded':
      return { owner: '', of: 'tags', by: 1 };
    case 'tagDeleted':
      return { owner: '', of: 'tags', by: -1 };
    case 'presetCreated':
      return { owner: ownerOf(change.value.preset!), of: 'presets', by: 1 };
    case 'presetDeleted':
      return { owner: change.value.owner, of: 'presets', by: -1 };
    case 'filterCreated':
      return { owner: change.value.application, of: 'filters', by: 1 };
    case 'filterDeleted':
      return { owner: change.value.application, of: 'filters', by: -1 };
    case 'geozoneAdded':
      return { owner: change.value.zone!.application, of: 'geozones', by: 1 };
    case 'geozoneDeleted':
      return { owner: change.value.application, of: 'geozones', by: -1 };
    default:
      return undefined;
  }
}

export function checkQuotas(view: UsageView, changes: readonly Change[], quotas: Quotas): void {
  const added = new Map<string, number>();
  for (const change of changes) {
    const growth = growthOf(change);
    if (growth?.by !== 1) continue;
    const { owner, of } = growth;
    const key = `${of} ${owner}`;
    const count = (added.get(key) ?? view.usage(owner)?.[of] ?? 0) + 1;
    if (count > quotas[of]) throw quotaReached(of, quotas[of]);
    added.set(key, count);
  }
}

export function evolveUsage(state: UsageState | undefined, { account, event }: AccountEvent): UsageState | undefined {
  const growth = growthOf(event);
  if (!growth) return state;
  const { owner, of, by } = growth;
  const none = { applications: 0, tags: 0, presets: 0, filters: 0, geozones: 0 };
  const before: UsageState = state ?? { kind: 'usage', account, owner, ...none };
  return { ...before, [of]: Math.max(0, before[of] + by) };
}
