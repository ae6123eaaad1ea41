import type { api } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { hashOf } from '../../reports/reporter.ts';

export const messageDeliveryEvent: Handler<typeof api.messageDeliveryEvent, 'reporter'> = async (
  { application, hwid, hash: given },
  { reporter },
  { account },
) => {
  const hash = hashOf(given);
  if (hash) await reporter.report(ReportKind.REPORT_KIND_DELIVERED, { account, application, hwid }, hash);
};
