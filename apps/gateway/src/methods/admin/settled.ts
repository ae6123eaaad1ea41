import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

export const settled: Handler<typeof api.settled, 'system'> = async ({ brief = false }, { system }) => {
  const open = await system.open({ brief });
  if (open.length > 0) throw Fault.conflict(open.join('\n'));
  return { settled: true };
};
