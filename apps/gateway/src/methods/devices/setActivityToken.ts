import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const setActivityToken: Handler<typeof api.setActivityToken, 'deviceCommands'> = (
  input,
  { deviceCommands },
  call,
) =>
  deviceCommands.submit(
    call.pending,
    commandOf(call, input, {
      $case: 'setActivityToken',
      value: { activityId: input.activity_id, token: input.activity_push_token },
    }),
  );
