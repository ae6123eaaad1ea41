import type { KeyObject } from 'node:crypto';
import { keyedId } from '@tidings/audience';
import type { MessageAccepted } from '@tidings/events';
import { createInActivity, evolveActivity, type LiveActivity, MessageRefused } from '@tidings/messaging';
import { modelOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { type ActivityDocument, activityOf } from '../messages/activity-document.ts';
import { activitiesModel } from '../messages/storage/messages.schema.ts';

export type ActivityKey = (account: string, message: MessageAccepted) => string | undefined;

export const activityKeyBy =
  (key: KeyObject): ActivityKey =>
  (account, { applications, content }) => {
    const id = content?.liveActivity?.id;
    return id === undefined ? undefined : keyedId(key, 'activity', account, applications[0]!, id);
  };

export interface InActivity {
  readonly notification: number;
  readonly draft: MessageAccepted;
  readonly activity: string;
  readonly isKnown: boolean;
}

const TRIAL = { id: 0, account: '' };

/** @throws MessageRefused if an activity is unknown or closed (R-S6, R-M2) */
export async function refuseActivities(db: Db, messages: readonly InActivity[], at: Date): Promise<void> {
  // The log decides a single message.
  if (messages.length < 2) return;
  const keys = [...new Set(messages.map(({ activity }) => activity))];
  const stored = await modelOf(db, activitiesModel)
    .find({ _id: { $in: keys } })
    .lean<(ActivityDocument & { _id: string })[]>();
  const activities = new Map<string, LiveActivity>(stored.map((document) => [document._id, activityOf(document)]));
  for (const { notification, ...each } of messages) {
    const command = { ...each, ...TRIAL, code: String(notification), at };
    const { events, created } = createInActivity(command, activities.get(each.activity));
    if ('refusal' in created) {
      throw new MessageRefused({ notification, reason: created.refusal, field: 'liveActivity' });
    }
    const after = events.reduce<LiveActivity | undefined>(evolveActivity, activities.get(each.activity));
    if (after) activities.set(each.activity, after);
  }
}
