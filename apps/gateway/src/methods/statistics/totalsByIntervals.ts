import type { api } from '@tidings/contract';
import type { HourTotals } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { listedDate } from '../times.ts';
import { applicationsOf } from './message-applications.ts';

const HOUR_MS = 3_600_000;

const intervalOf = (totals: HourTotals) => ({
  timestamp: listedDate(new Date(totals.hour * HOUR_MS)),
  platform: totals.platform,
  sends: String(totals.sends),
  opens: String(totals.opens),
  deliveries: String(totals.deliveries),
  inbox_opens: String(totals.inboxOpens),
  unshowable_sends: String(totals.unshowableSends),
  errors: String(totals.errors),
});

export const totalsByIntervals: Handler<typeof api.totalsByIntervals, 'access' | 'messages' | 'statistics'> = async (
  { code, platforms },
  context,
  call,
) => {
  await applicationsOf(code, context, call);
  const { hours, sends, opens, events } = await context.statistics.totals({ message: code, platforms });
  return {
    metrics: hours.map(intervalOf),
    conversion: {
      sends: String(sends),
      opens: String(opens),
      events: events.map(({ name, hits, conversion, revenue }) => ({
        name,
        hits,
        conversion,
        ...(revenue === undefined ? {} : { revenue }),
      })),
    },
  };
};
