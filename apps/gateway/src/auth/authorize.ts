import { type Method, type Request, secretOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';
import type { Access, ApplicationAccess, Token } from './access.ts';

export const FORBID = 'Token restrictions forbid this operation';
export const DENIED = 'Access denied or application not found';

export interface Credentials {
  readonly token: Token;
  readonly secret: string;
}

function refusal(method: Method): Fault {
  if (method.scope === 'server') return Fault.unauthorized('missing or invalid token');
  return method.unauthorized ? Fault.unauthorized('Missing or invalid token') : Fault.forbidden(FORBID);
}

/** Foreign and unknown applications get the same answer (R-T5). */
const denial = (method: Method): Fault =>
  method.family === 'json13' ? Fault.argument(DENIED) : Fault.forbidden(DENIED);

const isOptional = ({ scope }: Method): boolean => scope === 'none' || scope === 'optional';

/** The token is then checked before the body is read (R-ER4). */
export const takesTokenInHeader = (method: Method): boolean => !isOptional(method) && method.scope !== 'api';

function secretFor(method: Method, header: string | undefined, request: Request): string {
  if (takesTokenInHeader(method)) return secretOf(header) ?? '';
  const auth = request['auth'] ?? secretOf(header);
  if (auth === undefined) throw Fault.malformed('Missing required argument: auth');
  return typeof auth === 'string' ? auth : '';
}

const accept = (method: Method, token: Token | undefined, secret: string): Credentials => {
  const expectedKind = method.scope === 'device' ? 'device' : 'api';
  if (!token || (method.scope !== 'none' && token.scope !== expectedKind)) throw refusal(method);
  return { token, secret };
};

export async function authenticate(
  access: Access,
  method: Method,
  header: string | undefined,
  request: Request,
): Promise<Credentials | undefined> {
  if (isOptional(method) && (request['auth'] ?? secretOf(header)) === undefined) return undefined;
  const secret = secretFor(method, header, request);
  return accept(method, await access.token(secret), secret);
}

const admit = (method: Method, applicationAccess: ApplicationAccess): ApplicationView => {
  switch (applicationAccess.kind) {
    case 'granted':
      return applicationAccess.application;
    case 'restricted':
      throw Fault.forbidden(FORBID);
    case 'unknown':
      throw denial(method);
  }
};

export async function authorizeApplication(
  access: Access,
  method: Method,
  credentials: Credentials | undefined,
  request: Request,
): Promise<ApplicationView | undefined> {
  const given = method.application(request);
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const code = String(given).toUpperCase();
  const applicationAccess = credentials
    ? await access.accessTo(credentials.token, credentials.secret, code)
    : await access.anonymousAccess(code);
  return admit(method, applicationAccess);
}
