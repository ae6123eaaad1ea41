import type { Command } from 'commander';
import type { Session } from '../session.ts';

export type WithSession = <Parameters extends unknown[]>(
  action: (session: Session, ...parameters: Parameters) => Promise<void>,
) => (this: Command, ...parameters: Parameters) => Promise<void>;

/** @param write prints as it is, for output that is data */
export type AddCommands = (program: Command, withSession: WithSession, write: (text: string) => void) => void;
