import type { Command } from 'commander';
import type { Session } from '../session.ts';

/** Runs a command's action with its session. */
export type WithSession = <Parameters extends unknown[]>(
  action: (session: Session, ...parameters: Parameters) => Promise<void>,
) => (this: Command, ...parameters: Parameters) => Promise<void>;

/** Adds commands to the program. */
export type AddCommands = (program: Command, withSession: WithSession) => void;
