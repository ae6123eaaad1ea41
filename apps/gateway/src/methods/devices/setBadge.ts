import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const setBadge: Handler<typeof api.setBadge, 'deviceCommands'> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(call.pending, commandOf(call, input, { $case: 'setBadge', value: { badge: input.badge } }));
