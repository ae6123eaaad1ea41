export const ADM_REASONS = {
  InvalidRegistrationId: 400,
  Unregistered: 400,
  InvalidData: 400,
  InvalidConsolidationKey: 400,
  InvalidExpiration: 400,
  InvalidChecksum: 400,
  InvalidType: 400,
  AccessTokenExpired: 401,
  MessageTooLarge: 413,
  MaxRateExceeded: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
} as const satisfies Record<string, number>;
export type AdmReason = keyof typeof ADM_REASONS;
