import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { nothing, object, text } from '../values.ts';

const error = z.object({
  /** Name of the cause as in the funnel, such as `certificate_expired` or `connection_refused` (R-P1). */
  name: z.string(),
  message: z.string(),
  at: z.string(),
});

const provider = z.object({
  /** Fingerprint of the credential; applications with equal credentials share one entry. */
  credential: z.string(),
  channel: z.string(),
  applications: z.array(z.string()),
  state: z.enum(['open', 'throttled', 'unreachable']),
  last_error: error.nullable(),
  throttled_until: z.string().nullable(),
  throttled_because: z.string().nullable(),
  /** Push services of browsers that asked to wait: at most 100 of each dispatcher. */
  push_services: z.array(z.object({ origin: z.string(), throttled_until: z.string(), throttled_because: z.string() })),
});

/**
 * Lists the credentials that dispatchers have used since they started, with the reachability of their provider, the last connection failure,
 * and the end of a throttle. Throttled credentials are listed after a restart as well (R-P1). A push service of browsers throttles a
 * credential alone, in the process that it asked to wait.
 */
export const listProviders = admin('listProviders', {
  route: 'GET providers',
  input: object({}),
  output: z.object({ providers: z.array(provider) }),
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

/** Lifts a throttle; the deferred pushes are sent within seconds. 404 if the credential is not throttled (R-P1). */
export const liftThrottle = admin('liftThrottle', {
  route: 'DELETE providers/{credential}',
  status: 204,
  input: object({ credential: text }),
  output: nothing,
  examples: [{ request: { credential: 'fcm-2r8Vw0Jq6mYxC3nLk9sTaQ' }, reply: undefined }],
});
