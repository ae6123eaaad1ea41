import { ApiClient } from '@tidings/client';
import type { Command } from 'commander';
import { withoutControls } from './control-characters.ts';

/** Each has a variable, which keeps tokens off the command line. */
export interface GlobalOptions {
  readonly url: string;
  readonly adminToken?: string;
  readonly apiToken?: string;
  readonly json?: boolean;
}

/** One sentence explains it; the program ends with 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

const CONNECTIONS = 4;

export interface Session {
  readonly options: GlobalOptions;
  readonly client: ApiClient;
  /** @throws Failure without an administrator token */
  readonly operator: () => ApiClient;
  /** @throws Failure without an API token */
  readonly backend: () => ApiClient;
  /** Prints without control characters; as JSON if the caller asked for it. */
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
