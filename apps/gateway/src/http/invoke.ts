import type { IncomingHttpHeaders } from 'node:http';
import type { Method, Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { authenticate, authorizeApplication } from '../auth/authorize.ts';
import type { Context, Handler } from '../context.ts';

const MAX_KEY_LENGTH = 255;

/** The caller's key for this method alone; "" without one, or where nothing is changed of a device (R-ER11). */
function idempotencyKeyOf({ scope, name }: Method, headers: IncomingHttpHeaders): string {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key === '' || scope !== 'device') return '';
  if (key.length > MAX_KEY_LENGTH) throw Fault.argument('Idempotency-Key: must be 1 to 255 characters');
  return `${name}/${key}`;
}

/** Calls a method for a customer: token and its limit, required arguments, application, values, and then what it does (R-ER4). */
export async function invoke(
  method: Method,
  handler: Handler<Method>,
  context: Context,
  request: Request,
  headers: IncomingHttpHeaders,
): Promise<unknown> {
  const authenticated = authenticate(context.access, method, headers.authorization, request);
  const presented = authenticated instanceof Promise ? await authenticated : authenticated;
  if (presented) context.rateLimits.take(presented.token);
  const missing = method.missing(request);
  if (missing) throw missing;
  const authorized = authorizeApplication(context.access, method, presented, request);
  const application = authorized instanceof Promise ? await authorized : authorized;
  const input = method.parse(request);
  const account = presented?.token.account ?? application?.account ?? '';
  return handler(input, context, {
    account,
    presented,
    application,
    idempotencyKey: idempotencyKeyOf(method, headers),
  });
}
