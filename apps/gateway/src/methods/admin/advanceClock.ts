import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

export const advanceClock: Handler<typeof api.advanceClock, 'system'> = async ({ ms }, { system }) => ({
  now: rfc3339(new Date(await system.advanceClock(ms))),
});
