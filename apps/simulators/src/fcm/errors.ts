export interface FcmError {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly details: readonly Readonly<Record<string, unknown>>[];
}

const fcmDetail = (errorCode: string): Readonly<Record<string, unknown>> => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
});

const badRequest = (field: string, description: string): Readonly<Record<string, unknown>> => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field, description }],
});

const authDetail = (reason: string): Readonly<Record<string, unknown>> => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata: { service: 'fcm.googleapis.com', method: 'google.firebase.fcm.v1.FcmService.SendMessage' },
});

const WRONG_CREDENTIALS =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid ' +
  'authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';

export const invalidArgument = (field: string, message: string, fcm = true): FcmError => ({
  code: 400,
  status: 'INVALID_ARGUMENT',
  message,
  details: fcm ? [fcmDetail('INVALID_ARGUMENT'), badRequest(field, message)] : [badRequest(field, message)],
});

export const unauthenticated = (reason: string): FcmError => ({
  code: 401,
  status: 'UNAUTHENTICATED',
  message: WRONG_CREDENTIALS,
  details: [authDetail(reason)],
});

export const FCM_ERRORS = {
  UNSPECIFIED_ERROR: {
    code: 500,
    status: 'UNKNOWN',
    message: 'Unknown error.',
    details: [fcmDetail('UNSPECIFIED_ERROR')],
  },
  INVALID_ARGUMENT: invalidArgument('message.android.ttl', 'Request contains an invalid argument.'),
  /** Names the token as its field. */
  INVALID_TOKEN: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
    details: [fcmDetail('INVALID_ARGUMENT'), badRequest('message.token', 'Invalid registration token')],
  },
  /** Names the token in its message only. */
  INVALID_TOKEN_BARE: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The registration token is not a valid FCM registration token',
    details: [fcmDetail('INVALID_ARGUMENT')],
  },
  UNREGISTERED: {
    code: 404,
    status: 'NOT_FOUND',
    message: 'Requested entity was not found.',
    details: [fcmDetail('UNREGISTERED')],
  },
  SENDER_ID_MISMATCH: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: 'SenderId mismatch',
    details: [fcmDetail('SENDER_ID_MISMATCH')],
  },
  QUOTA_EXCEEDED: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Quota exceeded for this device.',
    details: [
      fcmDetail('QUOTA_EXCEEDED'),
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ subject: 'device', description: 'Message rate to the device exceeded' }],
      },
    ],
  },
  UNAVAILABLE: {
    code: 503,
    status: 'UNAVAILABLE',
    message: 'The service is currently unavailable.',
    details: [fcmDetail('UNAVAILABLE')],
  },
  INTERNAL: {
    code: 500,
    status: 'INTERNAL',
    message: 'Internal error encountered.',
    details: [fcmDetail('INTERNAL')],
  },
  THIRD_PARTY_AUTH_ERROR: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: 'Auth error from APNS or Web Push Service',
    details: [fcmDetail('THIRD_PARTY_AUTH_ERROR')],
  },
  PERMISSION_DENIED: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: "Permission 'cloudmessaging.messages.create' denied on the project (or it may not exist).",
    details: [],
  },
  NOT_FOUND: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.', details: [] },
  UNAUTHENTICATED: unauthenticated('ACCESS_TOKEN_TYPE_UNSUPPORTED'),
  ACCESS_TOKEN_EXPIRED: unauthenticated('ACCESS_TOKEN_EXPIRED'),
  /** For an access token of another scope. */
  SCOPE_INSUFFICIENT: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: 'Request had insufficient authentication scopes.',
    details: [authDetail('ACCESS_TOKEN_SCOPE_INSUFFICIENT')],
  },
  /** The page of a front end without a backend: HTML, no JSON. */
  BAD_GATEWAY: { code: 502, status: '', message: 'Error 502 (Server Error)', details: [] },
} as const satisfies Record<string, FcmError>;
export type FcmErrorName = keyof typeof FCM_ERRORS;

/** HTML if the error has no status. */
export const bodyOf = ({ code, status, message, details }: FcmError): string => {
  if (status === '') return `<!DOCTYPE html>\n<html lang=en><title>${message}!!1</title><p><b>${code}.</b></html>\n`;
  return JSON.stringify({ error: { code, message, status, ...(details.length === 0 ? {} : { details }) } }, null, 2);
};
