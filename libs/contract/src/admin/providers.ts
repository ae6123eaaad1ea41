import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { nothing, object, text } from '../values.ts';

const error = z.object({
  name: z.string().describe('Name of the failure, such as `connection_refused`.'),
  message: z.string().describe('Description of the failure.'),
  at: z.string().describe('Time of the failure: RFC 3339, in UTC.'),
});

const CREDENTIAL = 'Fingerprint of the credential. Applications with equal credentials share one entry.';

const provider = z.object({
  credential: z.string().describe(CREDENTIAL),
  channel: z.string().describe('The channel that uses the credential, such as `apns`.'),
  applications: z.array(z.string()).describe('Codes of the applications that use the credential.'),
  state: z
    .enum(['open', 'throttled', 'unreachable'])
    .describe(
      'State of the provider: it accepts messages (`open`), asked to wait (`throttled`), or cannot be reached.',
    ),
  last_error: error.nullable().describe('The last connection failure; null if there was none.'),
  throttled_until: z.string().nullable().describe('End of the throttle: RFC 3339, in UTC; null if not throttled.'),
  throttled_because: z.string().nullable().describe('Reason that the provider gave; null if not throttled.'),
  push_services: z
    .array(
      z.object({
        origin: z.string().describe('Origin of the push service.'),
        throttled_until: z.string().describe('End of the throttle: RFC 3339, in UTC.'),
        throttled_because: z.string().describe('Reason that the push service gave.'),
      }),
    )
    .describe('Push services of browsers that asked to wait; others accept pushes with the credential.'),
});

export const listProviders = admin('listProviders', {
  description:
    'Lists the credentials that dispatchers have used since they started, with the reachability of their provider, ' +
    'the last connection failure, and the end of a throttle. Throttled credentials are listed after a restart as ' +
    'well. A push service of browsers throttles a credential alone, in the process that it asked to wait.',
  route: 'GET providers',
  input: object({}),
  output: z.object({ providers: z.array(provider).describe('The credentials in use.') }),
  examples: [
    {
      request: {},
      reply: {
        providers: [
          {
            credential: 'fcm-2r8Vw0Jq6mYxC3nLk9sTaQ',
            channel: 'fcm',
            applications: ['A1B2C-3D4E5'],
            state: 'throttled',
            last_error: { name: 'connection_refused', message: 'connect ECONNREFUSED', at: '2026-01-15T11:00:00Z' },
            throttled_until: '2026-01-15T12:15:00Z',
            throttled_because: '503 UNAVAILABLE',
            push_services: [],
          },
          {
            credential: 'webpush-7Qm1xYc0Vd3bRkT5uNwZaA',
            channel: 'webpush',
            applications: ['A1B2C-3D4E5'],
            state: 'open',
            last_error: null,
            throttled_until: null,
            throttled_because: null,
            push_services: [
              {
                origin: 'https://push.example.com',
                throttled_until: '2026-01-15T12:10:00Z',
                throttled_because: '429 TooManyRequests',
              },
            ],
          },
        ],
      },
    },
  ],
});

export const liftThrottle = admin('liftThrottle', {
  description: 'Lifts a throttle; the deferred pushes are sent within seconds. 404 if the credential is not throttled.',
  route: 'DELETE providers/{credential}',
  status: 204,
  input: object({
    credential: text.describe(CREDENTIAL),
  }),
  output: nothing,
  examples: [{ request: { credential: 'fcm-2r8Vw0Jq6mYxC3nLk9sTaQ' }, reply: undefined }],
});
