import type { Method, Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';
import type { Access, ApplicationAccess, Token } from './access.ts';
import { secretOf } from './secrets.ts';

export const FORBID = 'Token restrictions forbid this operation';
export const DENIED = 'Access denied or application not found';

/** The credentials of a call: a token that is valid for the method, and the secret that it came as. */
export interface Credentials {
  readonly token: Token;
  readonly secret: string;
}

/** Faults of a missing or invalid token are in the family's words (R-T4, R-T6). */
function refusal(method: Method): Fault {
  if (method.scope === 'server') return Fault.unauthorized('missing or invalid token');
  return method.unauthorized ? Fault.unauthorized('Missing or invalid token') : Fault.forbidden(FORBID);
}

/** Existence must not leak: foreign and unknown answer alike (R-T5). */
const denial = (method: Method): Fault =>
  method.family === 'json13' ? Fault.argument(DENIED) : Fault.forbidden(DENIED);

/** Whether a token may be missing; a given one must be valid all the same (R-G3, R-L1). */
const isOptional = ({ scope }: Method): boolean => scope === 'none' || scope === 'optional';

/** Whether the token can stand in the header alone: then it is checked before the body is read (R-ER4). */
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

/** Who calls a method (R-T3, R-T4); undefined where nobody has to say so and nobody does. Answers at once where the token is known. */
export function authenticate(
  access: Access,
  method: Method,
  header: string | undefined,
  request: Request,
): Credentials | undefined | Promise<Credentials> {
  if (isOptional(method) && (request['auth'] ?? secretOf(header)) === undefined) return undefined;
  const secret = secretFor(method, header, request);
  const token = access.token(secret);
  return token instanceof Promise ? token.then((read) => accept(method, read, secret)) : accept(method, token, secret);
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
 * The application that a request names, once its token may use it; undefined where it names none. A value that cannot be a code is left
 * to the checks of values. Answers at once where both are known.
 */
export function authorizeApplication(
  access: Access,
  method: Method,
  credentials: Credentials | undefined,
  request: Request,
): ApplicationView | undefined | Promise<ApplicationView> {
  const given = method.application(request);
  if (typeof given !== 'string' && typeof given !== 'number') return undefined;
  const code = String(given).toUpperCase();
  const applicationAccess = credentials
    ? access.accessTo(credentials.token, credentials.secret, code)
    : access.accessOfAnyone(code);
  return applicationAccess instanceof Promise
    ? applicationAccess.then((found) => admit(method, found))
    : admit(method, applicationAccess);
}
