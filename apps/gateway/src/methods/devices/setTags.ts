import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const setTags: Handler<typeof api.setTags, 'deviceCommands'> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(call.pending, commandOf(call, input, { $case: 'setTags', value: { tags: input.tags } }));
