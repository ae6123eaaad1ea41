import { randomUUID } from 'node:crypto';
import { ApiClient, type MethodName, type Secrets } from './api-client.ts';
import { messageMethods } from './repeatable.ts';

type Parameters = Readonly<Record<string, unknown>>;

export interface TidingsOptions {
  /** Of the gateway, or of several, which are used in turn. */
  readonly url: string | readonly string[];
  readonly apiToken?: string;
  readonly deviceToken?: string;
  readonly adminToken?: string;
  /** Per address. @default 32 */
  readonly connections?: number;
}

const identified = (message: Parameters): Parameters =>
  typeof message['transactionId'] === 'string' && message['transactionId'] !== ''
    ? message
    : { ...message, transactionId: randomUUID() };

/** Messages get an id, by which a repeated request sends nothing twice (R-I10). */
function withTransactions(name: MethodName, parameters: Parameters): Parameters {
  if (!messageMethods.has(name)) return parameters;
  const field = messageMethods.get(name);
  if (field === undefined) return identified(parameters);
  const messages = parameters[field];
  return Array.isArray(messages) ? { ...parameters, [field]: (messages as Parameters[]).map(identified) } : parameters;
}

/** What the npm package exports. A call is repeated for a minute on Retry-After if nothing is done twice by that. */
export class TidingsClient {
  readonly #client: ApiClient;

  constructor({ url, apiToken, deviceToken, adminToken, connections }: TidingsOptions) {
    const secrets: Partial<Secrets> = {
      ...(apiToken !== undefined && { api: apiToken }),
      ...(deviceToken !== undefined && { device: deviceToken }),
      ...(adminToken !== undefined && { admin: adminToken }),
    };
    this.#client = new ApiClient(url, secrets, connections);
  }

  /** @throws Refusal with the whole reply */
  call(name: MethodName, parameters: Parameters = {}): Promise<unknown> {
    return this.#client.call(name, withTransactions(name, parameters));
  }

  close(): void {
    this.#client.close();
  }
}
