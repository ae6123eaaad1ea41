import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const applicationOpen: Handler<typeof api.applicationOpen, 'deviceCommands'> = (
  input,
  { deviceCommands },
  call,
) => deviceCommands.submit(call.pending, commandOf(call, input, { $case: 'open', value: input.properties }));
