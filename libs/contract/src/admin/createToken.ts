import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { account } from '../fields/account.ts';
import { applicationCode } from '../fields/application.ts';
import { moment } from '../fields/dates.ts';
import { shownToken } from '../fields/token.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { listOf, object, oneOf, optional } from '../values.ts';

const ALL = 'all' as const;
const MAX_APPLICATIONS = 1000;

const grant = z.union([z.literal(ALL), listOf(applicationCode, MAX_APPLICATIONS)], {
  error: 'must be "all" or a list of application codes',
});

export const createToken = admin('createToken', {
  description:
    'Issues a token. Only this reply contains its secret. The token is valid until it is revoked, or until ' +
    '`expires_at`. Scope `server` means `api`. A device token covers all applications unless it is limited to some.',
  route: 'POST tokens',
  status: 201,
  input: object({
    scope: oneOf(['api', 'device', 'server'])
      .transform((scope) => (scope === 'server' ? 'api' : scope))
      .describe('Kind of token: `api` or `device`. `server` is a synonym of `api`.'),
    applications: optionalUnless(grant, ({ scope, applications }) =>
      scope === 'device' || isGiven(applications) ? undefined : 'applications',
    ).describe(
      'Codes of the applications that the token covers, or `all`. Required for API tokens; a device token covers ' +
        'all if left out.',
    ),
    account: optional(account),
    expires_at: optional(moment).describe(shownToken.shape.expires_at.description!),
  }).transform(({ applications = ALL, expires_at: expiresAt, ...given }) => ({ ...given, applications, expiresAt })),
  output: z.object({
    id: z.string().describe('Identifies the token.'),
    token: z.string().describe('The token. Only this reply contains it.'),
  }),
  examples: [
    {
      request: { scope: 'api', applications: ['A1B2C-3D4E5'] },
      reply: { id: 'tok-1', token: 'secret' },
    },
    {
      request: { scope: 'device', applications: 'all', account: 'acc-2', expires_at: '2027-01-15T12:00:00Z' },
      reply: { id: 'tok-2', token: 'secret' },
    },
  ],
});
