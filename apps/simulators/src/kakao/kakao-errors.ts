/** `recipient`: the result of a recipient, not of the whole request. */
export interface KakaoError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly recipient: boolean;
}

const refused = (code: number, message: string, status = 200): KakaoError => ({
  status,
  code,
  message,
  recipient: false,
});
const ofRecipient = (code: number, message: string): KakaoError => ({ status: 200, code, message, recipient: true });

export const KAKAO_ERRORS = {
  INVALID_APP_KEY: refused(-1000, 'Invalid appKey.'),
  INVALID_SECRET_KEY: refused(-1001, 'Invalid secretKey.'),
  NO_SENDER_KEY: refused(-1006, "Plus friend don't have senderKey."),
  DAILY_LIMIT: refused(-1017, 'The daily maximum message count has been exceeded.'),
  BLANK: refused(-2001, "The 'recipientList' must not be blank."),
  INVALID_FIELD: refused(-3002, 'Field is not valid.'),
  SYSTEM_ERROR: refused(-9999, 'System error.', 500),
  MAINTENANCE: refused(-9998, 'Service unavailable.', 503),
  TOO_MANY_REQUESTS: refused(-9995, 'Too many requests.', 429),
  UNKNOWN_RECIPIENT: ofRecipient(-1022, 'The recipient is not valid.'),
  NO_TEMPLATE: ofRecipient(-3003, 'The template does not exist.'),
  TEMPLATE_MISMATCH: ofRecipient(-3049, 'The template parameters do not match the template.'),
  OTHER: ofRecipient(-4000, 'The message could not be sent.'),
} as const satisfies Readonly<Record<string, KakaoError>>;

export type KakaoErrorName = keyof typeof KAKAO_ERRORS;

/** Without its sign. */
export const kakaoErrorNamed = (code: number): KakaoErrorName =>
  (Object.keys(KAKAO_ERRORS) as KakaoErrorName[]).find((name) => KAKAO_ERRORS[name].code === -code) ?? 'OTHER';
