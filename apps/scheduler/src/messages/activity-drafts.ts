import type { KeyObject } from 'node:crypto';
import { keyedId } from '@tidings/audience';
import type { MessageAccepted } from '@tidings/events';
import { createInActivity, evolveActivity, type LiveActivity } from '@tidings/messaging';
import { modelOf } from '@tidings/mongo';
import type { MessageDraft } from '@tidings/rpc';
import type { Db } from 'mongodb';
import { type ActivityDocument, activityOf } from './activity-document.ts';
import { activitiesModel } from './storage/messages.schema.ts';

/** A draft of a live activity. */
export interface DraftInActivity {
  readonly draft: MessageAccepted;
  /** A keyed hash. */
  readonly activity: string;
  readonly isKnown: boolean;
  /** The path of the activity in the request. */
  readonly path: string;
}

/** The draft with its live activity; undefined if it belongs to none. @param key hashes the callers' ids */
export const activityOfDraft =
  (key: KeyObject) =>
  (
    account: string,
    { message: draft, activityKnown: isKnown, activityPath: path }: MessageDraft,
  ): DraftInActivity | undefined => {
    const id = draft?.content?.liveActivity?.id;
    if (!draft || id === undefined) return undefined;
    return { draft, activity: keyedId(key, 'activity', account, draft.applications[0]!, id), isKnown, path };
  };

/** Identifies drafts in the check, which creates nothing. */
const TRIAL = { id: 0, account: '' };

/**
 * Checks the drafts of a request before the first of them is created (R-I1): decides them in order on the stored activities.
 * @throws Fault `argument` if an activity is unknown or closed (R-S6, R-M2). The log decides again: another request may close it meanwhile.
 */
export async function checkActivities(db: Db, drafts: readonly DraftInActivity[], at: Date): Promise<void> {
  if (drafts.length < 2) return;
  const keys = [...new Set(drafts.map(({ activity }) => activity))];
  const stored = await modelOf(db, activitiesModel)
    .find({ _id: { $in: keys } })
    .lean<(ActivityDocument & { _id: string })[]>();
  const activities = new Map<string, LiveActivity>(stored.map((document) => [document._id, activityOf(document)]));
  drafts.forEach((each, index) => {
    const { events } = createInActivity({ ...each, ...TRIAL, code: String(index), at }, activities.get(each.activity));
    const after = events.reduce<LiveActivity | undefined>(evolveActivity, activities.get(each.activity));
    if (after) activities.set(each.activity, after);
  });
}
