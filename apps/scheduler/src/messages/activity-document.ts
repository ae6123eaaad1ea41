import type { LiveActivity, WaitingMessage } from '@tidings/messaging';

/** `_id` is a keyed hash. */
export interface ActivityDocument {
  readonly app: string;
  readonly status: LiveActivity['status'];
  readonly startedAt?: Date;
  readonly at: Date;
  readonly timestamp: number;
  readonly sending?: string;
  readonly waiting: readonly WaitingMessage[];
}

export function activityDocument(activity: LiveActivity): Record<string, unknown> {
  const { application: app, status, at, timestamp, sending, waiting } = activity;
  const startedAt = activity.status === 'open' ? activity.startedAt : undefined;
  return {
    app,
    status,
    at,
    timestamp,
    waiting,
    ...(startedAt && { startedAt }),
    ...(sending !== undefined && { sending }),
  } satisfies ActivityDocument;
}

export function activityOf({ app: application, status, startedAt, sending, ...facts }: ActivityDocument): LiveActivity {
  const { at, timestamp, waiting } = facts;
  const common = { application, at, timestamp, sending, waiting };
  return status === 'open' ? { ...common, status, startedAt } : { ...common, status };
}
