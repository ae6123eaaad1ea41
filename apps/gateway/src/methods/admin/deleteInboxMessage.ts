import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { requireApplication } from './existing-application.ts';

export const deleteInboxMessage: Handler<typeof api.deleteInboxMessage, 'applications' | 'inbox'> = async (
  { application, order },
  context,
) => {
  await requireApplication(context, application);
  const { unknown } = await context.inbox.delete({ application, order });
  if (unknown) throw Fault.notFound('Inbox message not found');
};
