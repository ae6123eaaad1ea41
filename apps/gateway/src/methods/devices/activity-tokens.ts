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

export const setActivityPushToStartToken: Handler<typeof api.setActivityPushToStartToken, 'deviceCommands'> = (
  input,
  { deviceCommands },
  call,
) =>
  deviceCommands.submit(
    call.pending,
    commandOf(call, input, { $case: 'setPushToStartToken', value: { token: input.activity_push_to_start_token } }),
  );
