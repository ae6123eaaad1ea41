interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly location?: string;
}

const html = (status: number, location?: string): Reply => ({
  status,
  type: 'text/html',
  body: '<!DOCTYPE html><title>Sign in</title>',
  ...(location === undefined ? {} : { location }),
});
const json = (status: number, value: unknown): Reply => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
});
const token = (characters: number): Reply =>
  json(200, { access_token: 'x'.repeat(characters), expires_in: 3599, token_type: 'Bearer' });

/** From proxies and portals on the way, or the issuer itself. */
const replies = {
  page: html(200),
  redirect: html(302, '/sign-in'),
  pageNotFound: html(404),
  pageUnauthorized: html(401),
  forbidden: json(403, { error: 'access_denied' }),
  unreadable: { status: 200, type: 'application/json', body: '{"access_token":"a' },
  noToken: json(200, { token_type: 'Bearer' }),
  noError: json(400, {}),
  textError: json(400, 'invalid_client'),
  longToken: token(8193),
  longerToken: token(100_000),
  invalidClient: json(401, { error: 'invalid_client' }),
} satisfies Record<string, Reply>;

export type TokenReply = keyof typeof replies;
export const tokenReplies = Object.keys(replies) as TokenReply[];

interface TokenAnswer {
  readonly does: 'answer';
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

export function faultyTokenReply(of: TokenReply | null): TokenAnswer | undefined {
  if (of === null) return undefined;
  const { status, type, body, location }: Reply = replies[of];
  const headers = ['content-type', type, ...(location === undefined ? [] : ['location', location])];
  return { does: 'answer', status, headers, body };
}
