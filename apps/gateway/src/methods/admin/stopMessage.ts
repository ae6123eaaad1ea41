import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

export const stopMessage: Handler<typeof api.stopMessage, 'messages'> = async ({ code }, { messages }) => {
  const { status, stoppedAt } = await messages.stop({ code });
  return { status, stopped_at: rfc3339(stoppedAt) };
};
