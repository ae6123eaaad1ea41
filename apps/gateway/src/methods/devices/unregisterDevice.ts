import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';
import { unlessUnknown } from '../../devices/unknown-device.ts';

export const unregisterDevice: Handler<typeof api.unregisterDevice, 'deviceCommands'> = (
  input,
  { deviceCommands },
  call,
) => unlessUnknown(deviceCommands.submit(call.pending, commandOf(call, input, { $case: 'unregister', value: {} })));
