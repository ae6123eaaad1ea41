import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Method, Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { authenticate, authorizeApplication, type Credentials, takesTokenInHeader } from '../auth/authorize.ts';
import type { Call, Context } from '../context.ts';
import { inSlices } from '../json/slices.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import { refuseTooLarge } from './body.ts';
import { hasBody } from './families.ts';
import type { LargeBodies } from './large-bodies.ts';
import { bodyFormOf, isLargeObject, parametersIn, parseLargeObject, parseObject, tokenIn } from './parameters.ts';

const MAX_KEY_LENGTH = 255;
const NOTHING: Request = {};
const NO_BODY = Buffer.alloc(0);

export interface Received {
  readonly message: IncomingMessage;
  readonly pending: PendingRequest;
  readonly parameters: Request;
}

export interface AuthorizedCall {
  readonly call: Call;
  readonly parameters: Request;
  readonly isLarge: boolean;
}

export interface Authorization {
  readonly context: Pick<Context, 'access' | 'rateLimits' | 'clients'>;
  readonly bodies: Pick<LargeBodies, 'read'>;
}

function idempotencyKeyOf({ scope, name }: Method, headers: IncomingHttpHeaders): string {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key === '' || scope !== 'device') return '';
  if (key.length > MAX_KEY_LENGTH) throw Fault.argument('Idempotency-Key: must be 1 to 255 characters');
  return `${name}/${key}`;
}

async function identified(
  { access, rateLimits }: Authorization['context'],
  method: Method,
  headers: IncomingHttpHeaders,
  request: Request,
): Promise<Credentials | undefined> {
  const credentials = await authenticate(access, method, headers.authorization, request);
  const counting = credentials && rateLimits.take(credentials.token);
  if (counting) await counting;
  return credentials;
}

const parametersOf = (method: Method, body: Request): Request =>
  method.family === 'json13' ? parametersIn(body, method.body) : body;

/** In this order (R-ER4): size, token in the header, JSON, token in the body, arguments, application. */
export async function authorizeCall(method: Method, received: Received, deps: Authorization): Promise<AuthorizedCall> {
  const { message, pending } = received;
  const { maxBodyBytes: limit, deadlineMs } = method;
  const takesBody = hasBody(method);
  const inHeader = takesTokenInHeader(method);
  const identify = (request: Request) => identified(deps.context, method, message.headers, request);

  if (takesBody) refuseTooLarge(message, limit);
  let credentials = inHeader ? await identify(NOTHING) : undefined;
  const bytes = takesBody ? await deps.bodies.read(message, { limit, deadlineMs, pending }) : NO_BODY;
  const isLarge = isLargeObject(bytes);
  const auth = isLarge ? await tokenIn(bytes, bodyFormOf(method)) : undefined;
  if (isLarge && !inHeader) credentials = await identify(auth === undefined ? NOTHING : { auth });
  const body = isLarge ? await parseLargeObject(bytes) : takesBody ? parseObject(bytes) : undefined;
  const parameters = body ? parametersOf(method, body) : received.parameters;
  if (!inHeader && !(isLarge && parameters['auth'] === auth)) credentials = await identify(parameters);
  const missing = method.missing(parameters);
  if (missing) throw missing;
  const application = await authorizeApplication(deps.context.access, method, credentials, parameters);
  const call: Call = {
    account: credentials?.token.account ?? application?.account ?? '',
    credentials,
    application,
    idempotencyKey: idempotencyKeyOf(method, message.headers),
    pending,
    address: deps.context.clients.of(message),
  };
  return { call, parameters, isLarge };
}

export const inputOf = (method: Method, { parameters, isLarge }: AuthorizedCall): unknown =>
  isLarge && method.steps ? inSlices(method.steps(parameters)) : method.parse(parameters);
