import type { LogWriter } from '@tidings/event-store';
import { type AccountCommand, accountLogOf, type AccountReply } from './account-log.ts';

/** Resolves when the states have the change. */
export type AccountWriter = (command: AccountCommand) => Promise<AccountReply>;

export const accountWriter =
  (logs: LogWriter<AccountCommand, AccountReply>): AccountWriter =>
  (command) =>
    logs.submit(accountLogOf(command.account), command);
