import { ApiClient } from '@tidings/client';
import type { Command } from 'commander';
import { withoutControls } from './control-characters.ts';

/** Options of every command; each has a variable as well, so that tokens need not be on the command line. */
export interface GlobalOptions {
  readonly url: string;
  readonly adminToken?: string;
  readonly apiToken?: string;
  readonly json?: boolean;
}

/** A mistake of the caller or the system that one sentence explains; the program ends with 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Connections to the API: commands call one method after the other. */
const CONNECTIONS = 4;

/** A command's access to the API, and its output. */
export interface Session {
  readonly options: GlobalOptions;
  readonly client: ApiClient;
  /** The client, if there is an administrator token. @throws Failure without one */
  readonly operator: () => ApiClient;
  /** The client, if there is an API token. @throws Failure without one */
  readonly backend: () => ApiClient;
  /** Prints a result: as JSON if the caller asked for it, else as text; without control characters. */
  readonly print: (result: unknown, text: string) => void;
}

export function sessionOf(command: Command, write: (text: string) => void): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { url, adminToken: admin, apiToken: api } = options;
  const secrets = { ...(admin !== undefined && { admin }), ...(api !== undefined && { api }) };
  const client = new ApiClient(url, secrets, CONNECTIONS);
  return {
    options,
    client,
    operator() {
      if (admin === undefined)
        throw new Failure('This needs the administrator token: TIDINGS_ADMIN_TOKEN or --admin-token');
      return client;
    },
    backend() {
      if (api === undefined) {
        throw new Failure(
          'This needs an API token: TIDINGS_API_TOKEN or --api-token; `tidings tokens create api` creates one',
        );
      }
      return client;
    },
    print: (result, text) => write(`${withoutControls(options.json ? JSON.stringify(result, null, 2) : text)}\n`),
  };
}
