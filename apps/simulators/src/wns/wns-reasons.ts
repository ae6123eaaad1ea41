/** Names of this project; answers of status 200 are states of a notification. */
export const WNS_REASONS = {
  dropped: 200,
  channelThrottled: 200,
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Gone: 410,
  RequestEntityTooLarge: 413,
  InternalServerError: 500,
  ServiceUnavailable: 503,
} as const;

export type WnsReason = keyof typeof WNS_REASONS;
