import type { Answer, ProviderName, ProviderRequest } from '../provider.ts';
import type { Reply } from '../push-simulator.ts';
import type { SimulatorDeps } from '../simulator.ts';
import { faultyTokenReply } from './token-replies.ts';

/** RFC 6749, 5.2. */
export type GrantError = 'unsupported_grant_type' | 'invalid_request' | 'invalid_client' | 'invalid_scope';

export interface TokenEndpoint {
  readonly path: string;
  /** The only one that is granted. @default none */
  readonly scope?: string;
  /** Ids of clients begin with it. */
  readonly clientPrefix?: string;
  /** Members of the reply beside the token and its lifetime. */
  readonly members: object;
  json(status: number, value: unknown): Reply;
  refused(error: GrantError): Reply;
}

/** The grant `client_credentials`, with id and secret in the form. */
export const clientGrants =
  (name: ProviderName, endpoint: TokenEndpoint, { keys, faults, accessTokens }: SimulatorDeps) =>
  ({ path, body }: ProviderRequest): Answer | undefined => {
    if (path !== endpoint.path) return undefined;
    const faulty = faultyTokenReply(faults.of(name).tokenReply);
    if (faulty) return faulty;
    const form = new URLSearchParams(body.toString('utf8'));
    const client = form.get('client_id') ?? '';
    const grantError = (): GrantError | undefined => {
      const secret = form.get('client_secret') ?? '';
      if (form.get('grant_type') !== 'client_credentials') return 'unsupported_grant_type';
      if (client === '' || secret === '') return 'invalid_request';
      if (!keys.isClient(client, secret)) return 'invalid_client';
      if (endpoint.scope !== undefined && form.get('scope') !== endpoint.scope) return 'invalid_scope';
      return client.startsWith(endpoint.clientPrefix ?? '') ? undefined : 'invalid_client';
    };
    const error = grantError();
    if (error !== undefined) return { does: 'answer', ...endpoint.refused(error) };
    const reply = {
      access_token: accessTokens.issue(client, endpoint.scope === undefined ? [] : [endpoint.scope]),
      expires_in: accessTokens.lifetimeSeconds,
    };
    return { does: 'answer', ...endpoint.json(200, { ...reply, ...endpoint.members }) };
  };
