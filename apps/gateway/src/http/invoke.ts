import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Method, Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { authenticate, authorizeApplication, type Credentials, takesTokenInHeader } from '../auth/authorize.ts';
import type { Context, Handler } from '../context.ts';
import type { Authenticate } from './parameters.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import { inSlices } from '../json/slices.ts';

const MAX_KEY_LENGTH = 255;
const NOTHING: Request = {};

/** The caller's key, scoped to this method; "" without one, or if the method changes no device (R-ER11). */
function idempotencyKeyOf({ scope, name }: Method, headers: IncomingHttpHeaders): string {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key === '' || scope !== 'device') return '';
  if (key.length > MAX_KEY_LENGTH) throw Fault.argument('Idempotency-Key: must be 1 to 255 characters');
  return `${name}/${key}`;
}

/** Authenticates the caller and counts the request against the token's limit. Synchronous if the token is cached and has no limit. */
function identify(
  context: Context,
  method: Method,
  headers: IncomingHttpHeaders,
  request: Request,
): Credentials | undefined | Promise<Credentials> {
  const count = (credentials: Credentials): Credentials | Promise<Credentials> => {
    const counting = context.rateLimits.take(credentials.token);
    return counting ? counting.then(() => credentials) : credentials;
  };
  const authenticated = authenticate(context.access, method, headers.authorization, request);
  if (authenticated instanceof Promise) return authenticated.then(count);
  return authenticated && count(authenticated);
}

/** A request whose path, verb and size have been checked. */
export interface Invocation {
  readonly request: IncomingMessage;
  readonly pending: PendingRequest;
  /** Reads the parameters and runs the work on them. The token of a large body is authenticated before the body is parsed. */
  readonly read: <T>(authenticate: Authenticate, work: (request: Request) => Promise<T>) => Promise<T>;
}

/**
 * Calls a method for a customer, in this order: header token and its limit, if the body cannot carry the token; JSON; body token and its limit;
 * required arguments; application; values; handler (R-ER4).
 */
export function invoke(
  method: Method,
  handler: Handler<Method>,
  context: Context,
  invocation: Invocation,
): Promise<unknown> {
  const { headers } = invocation.request;
  if (!takesTokenInHeader(method)) {
    return readAndCall(method, handler, context, invocation, (request) => identify(context, method, headers, request));
  }
  const identified = identify(context, method, headers, NOTHING);
  return identified instanceof Promise
    ? identified.then((caller) => readAndCall(method, handler, context, invocation, () => caller))
    : readAndCall(method, handler, context, invocation, () => identified);
}

/** @param callerOf returns the caller, whose token may be in the body */
function readAndCall(
  method: Method,
  handler: Handler<Method>,
  context: Context,
  { request: message, pending, read }: Invocation,
  callerOf: (request: Request) => ReturnType<typeof identify>,
): Promise<unknown> {
  let early: { readonly auth: unknown; readonly caller: Credentials | undefined } | undefined;
  const authenticateEarly = async (auth: string | undefined): Promise<void> => {
    early = { auth, caller: await callerOf(auth === undefined ? NOTHING : { auth }) };
  };
  return read(authenticateEarly, async (request) => {
    const identified = early && early.auth === request['auth'] ? early.caller : callerOf(request);
    const credentials = identified instanceof Promise ? await identified : identified;
    const missing = method.missing(request);
    if (missing) throw missing;
    const authorized = authorizeApplication(context.access, method, credentials, request);
    const application = authorized instanceof Promise ? await authorized : authorized;
    const input = early && method.steps ? await inSlices(method.steps(request)) : method.parse(request);
    const account = credentials?.token.account ?? application?.account ?? '';
    const idempotencyKey = idempotencyKeyOf(method, message.headers);
    const address = context.clients.of(message);
    return handler(input, context, { account, credentials, application, idempotencyKey, pending, address });
  });
}
