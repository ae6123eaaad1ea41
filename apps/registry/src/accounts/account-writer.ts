import type { LogWriter } from '@tidings/event-store';
import { type AccountCommand, accountLogOf, type AccountReply } from './account-log.ts';

/** Writes to an account's log; resolves when the states have it. */
export type AccountWriter = (command: AccountCommand) => Promise<AccountReply>;

export const accountWriter =
  (logs: LogWriter<AccountCommand, AccountReply>): AccountWriter =>
  (command) =>
    logs.submit(accountLogOf(command.account), command);
