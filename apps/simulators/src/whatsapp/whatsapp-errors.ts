export interface WhatsAppError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

const error = (status: number, code: number, message: string): WhatsAppError => ({ status, code, message });

export const WHATSAPP_ERRORS = {
  SERVICE: error(503, 2, 'Service temporarily unavailable'),
  INVALID_PARAMETER: error(400, 100, '(#100) Invalid parameter'),
  UNKNOWN_PATH: error(400, 100, 'Unsupported post request'),
  TOKEN_EXPIRED: error(401, 190, 'Error validating access token: Session has expired'),
  TOKEN_INVALID: error(401, 190, 'Invalid OAuth access token - Cannot parse access token'),
  RATE_LIMIT: error(429, 130429, '(#130429) Rate limit hit'),
  SOMETHING_WRONG: error(500, 131000, '(#131000) Something went wrong'),
  VALUE_INVALID: error(400, 131009, '(#131009) Parameter value is not valid'),
  PARAMETER_MISSING: error(400, 131008, '(#131008) Required parameter is missing'),
  UNDELIVERABLE: error(400, 131026, '(#131026) Message undeliverable'),
  RE_ENGAGEMENT: error(400, 131047, '(#131047) Re-engagement message'),
  PAIR_RATE_LIMIT: error(400, 131056, '(#131056) (Business Account, Consumer Account) pair rate limit hit'),
  TEMPLATE_MISSING: error(404, 132001, '(#132001) Template name does not exist in the translation'),
  NOT_REGISTERED: error(400, 133010, '(#133010) Account not registered'),
} as const satisfies Readonly<Record<string, WhatsAppError>>;

export type WhatsAppErrorName = keyof typeof WHATSAPP_ERRORS;

export const whatsAppErrorNamed = (code: number): WhatsAppErrorName =>
  (Object.keys(WHATSAPP_ERRORS) as WhatsAppErrorName[]).find((name) => WHATSAPP_ERRORS[name].code === code) ??
  'SOMETHING_WRONG';

export const bodyOf = ({ code, message }: WhatsAppError): object => ({
  error: { message, type: 'OAuthException', code, fbtrace_id: 'Az8or2yhqkZfEZ' },
});
