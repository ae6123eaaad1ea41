import { planId } from '@tidings/delivery';
import { badgesOf, type PlanDocument, PLANS } from '@tidings/registry-store';
import { type DescribeRequest, ShownBadges } from '@tidings/rpc';
import type { Db } from 'mongodb';

export async function shownBadgesOf(db: Db, { application, plans }: DescribeRequest): Promise<ShownBadges[]> {
  if (plans.length === 0) return [];
  const ids = plans.map((plan) => planId({ ...plan, application }));
  const stored = db.collection<PlanDocument>(PLANS);
  const found = await stored.find({ _id: { $in: ids } }, { projection: { badges: 1 } }).toArray();
  const byId = new Map(found.map((plan) => [plan._id, badgesOf(plan)]));
  return ids.map((id) => ShownBadges.fromPartial(byId.get(id) ?? {}));
}
