export interface HmsAnswer {
  readonly status: number;
  /** Absent = the answer is a page of a front end. */
  readonly code?: string;
  readonly msg: string;
}

const answer = (status: number, code: string, msg: string): HmsAnswer => ({ status, code, msg });

export const HMS_CODES = {
  '80100000': answer(200, '80100000', 'illegal_tokens'),
  '80100001': answer(200, '80100001', 'Incorrect request parameters'),
  '80100003': answer(200, '80100003', 'Illegal payload'),
  '80100004': answer(200, '80100004', 'The message expiration time is earlier than the current time'),
  '80100013': answer(200, '80100013', 'Invalid collapse_key message field'),
  '80100016': answer(200, '80100016', 'The message contains sensitive information'),
  '80200001': answer(401, '80200001', 'OAuth authentication error'),
  '80200003': answer(401, '80200003', 'OAuth token expired'),
  '80300002': answer(200, '80300002', 'The current app does not have the permission to send messages'),
  '80300007': answer(200, '80300007', 'All the tokens are invalid'),
  '80300008': answer(200, '80300008', 'The message body size exceeds the default value'),
  '80300010': answer(200, '80300010', 'The number of tokens in the message body exceeds the default value'),
  '80300011': answer(200, '80300011', 'The frequency of messages is too high'),
  '80600003': answer(200, '80600003', 'Failed to request the OAuth service'),
  '81000001': answer(500, '81000001', 'System inner error'),
  TRAFFIC_CONTROL: { status: 503, msg: 'Service Unavailable' },
  BAD_GATEWAY: { status: 502, msg: 'Bad Gateway' },
} as const satisfies Record<string, HmsAnswer>;
export type HmsCode = keyof typeof HMS_CODES;
