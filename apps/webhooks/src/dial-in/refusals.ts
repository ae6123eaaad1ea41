import { Fault } from '@tidings/kernel';

const Code = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

export class Refusal extends Error {
  readonly code: number;

  constructor(code: keyof typeof Code, details: string) {
    super(details);
    this.code = Code[code];
  }
}

export const MAX_STREAMS_PER_TOKEN = 20;

export const refusals = {
  noToken: () => new Refusal('UNAUTHENTICATED', 'authorization: must be "Token" and an API token'),
  wrongToken: () => new Refusal('UNAUTHENTICATED', 'authorization: unknown token'),
  deviceToken: () => new Refusal('PERMISSION_DENIED', 'authorization: must be an API token'),
  noSubscription: () => new Refusal('INVALID_ARGUMENT', 'subscription: is required'),
  unknown: () => new Refusal('NOT_FOUND', 'subscription: not found'),
  uncovered: () => new Refusal('PERMISSION_DENIED', 'subscription: has events of applications outside the token'),
  hasEndpoint: () => new Refusal('FAILED_PRECONDITION', 'subscription: has an endpoint'),
  disabled: () => new Refusal('FAILED_PRECONDITION', 'subscription: is disabled'),
  takenOver: () => new Refusal('ABORTED', 'subscription: another consumer has dialled in'),
  tooMany: () =>
    new Refusal('RESOURCE_EXHAUSTED', `authorization: a token has at most ${MAX_STREAMS_PER_TOKEN} streams`),
  silent: () => new Refusal('DEADLINE_EXCEEDED', 'No answer within 30 seconds'),
  busy: () => new Refusal('UNAVAILABLE', 'Too many consumers dial in at once'),
  stopping: () => new Refusal('UNAVAILABLE', 'The server is stopping'),
} as const;

export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { kind, message } = Fault.from(error);
  return kind === 'unavailable' ? new Refusal('UNAVAILABLE', message) : new Refusal('INTERNAL', 'Internal error');
}
