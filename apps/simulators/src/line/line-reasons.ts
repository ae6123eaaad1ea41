interface LineReply {
  readonly status: number;
  readonly message: string;
  readonly property?: string;
}

/** Our names: LINE has no codes. */
export const LINE_REASONS = {
  InvalidRecipient: { status: 400, message: "The property, 'to', in the request body is invalid (line: -, column: -)" },
  InvalidMessage: { status: 400, message: 'The request body has 1 error(s)', property: 'messages[0]' },
  FailedToSend: { status: 400, message: 'Failed to send messages' },
  Unauthorized: {
    status: 401,
    message: 'Authentication failed. Confirm that the access token in the authorization header is valid.',
  },
  Forbidden: { status: 403, message: 'Access to this API is not available for your account' },
  NotFound: { status: 404, message: 'Not found' },
  Conflict: { status: 409, message: 'The retry key is already accepted' },
  RateLimit: { status: 429, message: 'The API rate limit has been exceeded. Try again later.' },
  MonthlyLimit: { status: 429, message: 'You have reached your monthly limit.' },
  InternalServerError: { status: 500, message: 'The error occurred on the internal server' },
  ServiceUnavailable: { status: 503, message: 'Service unavailable' },
} as const satisfies Record<string, LineReply>;

export type LineReason = keyof typeof LINE_REASONS;

export function lineBodyOf(reason: LineReason): object {
  const { message, property }: LineReply = LINE_REASONS[reason];
  return { message, ...(property !== undefined && { details: [{ message: 'invalid', property }] }) };
}
