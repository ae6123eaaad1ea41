import type { LogWriter } from '@tidings/event-store';
import { type AccountCommand, accountLogOf } from './log.ts';

/** Writes to an account's log; resolves when the states have it. */
export type AccountWriter = (command: AccountCommand) => Promise<void>;

export const accountWriter =
  (logs: LogWriter<AccountCommand, void>): AccountWriter =>
  (command) =>
    logs.submit(accountLogOf(command.account), command);
