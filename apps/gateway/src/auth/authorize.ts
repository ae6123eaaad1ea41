import { type Method, type Request, secretOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';
import type { Access, ApplicationAccess, Token } from './access.ts';

export const FORBID = 'Token restrictions forbid this operation';
export const DENIED = 'Access denied or application not found';

/** The credentials of a call: a token that is valid for the method, and its secret. */
export interface Credentials {
  readonly token: Token;
  readonly secret: string;
}

/** Faults of a missing or invalid token use the wording of the method's family (R-T4, R-T6). */
function refusal(method: Method): Fault {
  if (method.scope === 'server') return Fault.unauthorized('missing or invalid token');
  return method.unauthorized ? Fault.unauthorized('Missing or invalid token') : Fault.forbidden(FORBID);
}

/** The existence of an application must not leak: foreign and unknown ones get the same answer (R-T5). */
const denial = (method: Method): Fault =>
  method.family === 'json13' ? Fault.argument(DENIED) : Fault.forbidden(DENIED);

/** Whether the token may be missing; a token that is sent must still be valid (R-G3, R-L1). */
const isOptional = ({ scope }: Method): boolean => scope === 'none' || scope === 'optional';

/** Whether the header is the only place for the token: then the token is checked before the body is read (R-ER4). */
export const takesTokenInHeader = (method: Method): boolean => !isOptional(method) && method.scope !== 'api';

function secretFor(method: Method, header: string | undefined, request: Request): string {
  if (takesTokenInHeader(method)) return secretOf(header) ?? '';
  const auth = request['auth'] ?? secretOf(header);
  if (auth === undefined) throw Fault.malformed('Missing required argument: auth');
  return typeof auth === 'string' ? auth : '';
}

const accept = (method: Method, token: Token | undefined, secret: string): Credentials => {
  const wanted = method.scope === 'device' ? 'device' : 'api';
  if (!token || (method.scope !== 'none' && token.scope !== wanted)) throw refusal(method);
  return { token, secret };
};

/** Authenticates the caller of a method (R-T3, R-T4); undefined if the token is optional and missing. */
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

/**
 * The application that a request names, once its token may use it; undefined if it names none. A value that cannot be a code is left to the input
 * checks.
 */
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
    : await access.accessOfAnyone(code);
  return admit(method, applicationAccess);
}
