import { until } from '@tidings/testing';

const REQUESTS = 8;

/** Waits until every gateway answers with a status: each uses the settings of applications for some seconds. */
export const untilEveryReply = (reply: () => Promise<{ readonly status: number }>, status: number): Promise<void> =>
  until(async () => {
    const replies = await Promise.all(Array.from({ length: REQUESTS }, reply));
    return replies.every((each) => each.status === status);
  });
