import { afterAll, describe, expect, it } from '@jest/globals';
import { clearNames } from '../send-results.ts';
import { resultLine } from '../testing/result-line.ts';
import { fcmRefusal } from './fcm-results.ts';

afterAll(clearNames);

describe('fcmRefusal', () => {
  const FCM = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
  const VIOLATION = 'type.googleapis.com/google.rpc.BadRequest';
  const reply = (status: string, errorCode?: string, field?: string, message = 'no') =>
    JSON.stringify({
      error: {
        message,
        status,
        details: [
          ...(errorCode === undefined ? [] : [{ '@type': FCM, errorCode }]),
          ...(field === undefined ? [] : [{ '@type': VIOLATION, fieldViolations: [{ field, description: '' }] }]),
        ],
      },
    });

  it.each([
    [404, 'UNREGISTERED', reply('NOT_FOUND', 'UNREGISTERED'), 'INVALID_TOKEN invalidate'],
    [
      400,
      'INVALID_ARGUMENT',
      reply('INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'message.token'),
      'INVALID_TOKEN invalidate',
    ],
    [
      400,
      'INVALID_ARGUMENT',
      reply(
        'INVALID_ARGUMENT',
        'INVALID_ARGUMENT',
        undefined,
        'The registration token is not a valid FCM registration token',
      ),
      'INVALID_TOKEN invalidate',
    ],
    [403, 'SENDER_ID_MISMATCH', reply('PERMISSION_DENIED', 'SENDER_ID_MISMATCH'), 'INVALID_TOKEN final'],
    [
      400,
      'INVALID_ARGUMENT',
      reply('INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'message.android.ttl'),
      'INVALID_CONTENT final',
    ],
    [400, 'INVALID_ARGUMENT', reply('INVALID_ARGUMENT', undefined, 'message'), 'INVALID_CONTENT final'],
    [429, 'QUOTA_EXCEEDED', reply('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'), 'QUOTA_EXCEEDED retry 60000'],
    [503, 'UNAVAILABLE', reply('UNAVAILABLE', 'UNAVAILABLE'), 'PROVIDER_ERROR retry 10000'],
    [500, 'INTERNAL', reply('INTERNAL', 'INTERNAL'), 'PROVIDER_ERROR retry 10000'],
    [401, 'THIRD_PARTY_AUTH_ERROR', reply('UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'), 'INVALID_CONFIGURATION final'],
    [403, 'PERMISSION_DENIED', reply('PERMISSION_DENIED'), 'INVALID_CONFIGURATION final'],
    [404, 'NOT_FOUND', reply('NOT_FOUND'), 'INVALID_CONFIGURATION final'],
    [401, 'UNAUTHENTICATED', reply('UNAUTHENTICATED'), 'INVALID_CONFIGURATION once'],
    [500, 'UNSPECIFIED_ERROR', reply('UNKNOWN', 'UNSPECIFIED_ERROR'), 'UNCLASSIFIED_ERROR final'],
    [502, 'unreadable_reply', '<html>', 'PROVIDER_ERROR retry 0'],
    [429, 'RESOURCE_EXHAUSTED', reply('RESOURCE_EXHAUSTED'), 'QUOTA_EXCEEDED retry 0'],
    [418, '', '{}', 'UNCLASSIFIED_ERROR final'],
  ])('reads %i %s as a send result', (status, name, body, expected) => {
    const { result } = fcmRefusal(status, body);
    expect(resultLine(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name });
  });

  it.each([
    [400, 'UNCLASSIFIED_ERROR final'],
    [401, 'INVALID_CONFIGURATION once'],
    [403, 'INVALID_CONFIGURATION final'],
    [404, 'INVALID_CONFIGURATION final'],
    [429, 'QUOTA_EXCEEDED retry 0'],
    [500, 'PROVIDER_ERROR retry 0'],
    [503, 'PROVIDER_ERROR retry 0'],
  ])('classifies a truncated body by its status %i, and touches no token for it', (status, expected) => {
    const whole = reply('NOT_FOUND', 'UNREGISTERED', undefined, 'x'.repeat(20_000));
    const { result } = fcmRefusal(status, whole.slice(0, 16_384));
    expect(resultLine(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name: 'unreadable_reply' });
  });

  it('keeps a bounded number of names of an unknown provider', () => {
    const names = Array.from({ length: 3000 }, (_, i) => fcmRefusal(418, reply(`${'X'.repeat(200)}${i}`)).result.name);
    expect(Math.max(...names.map((name) => name.length))).toBe(100);
    expect(
      new Set(Array.from({ length: 3000 }, (_, i) => fcmRefusal(418, reply(`N${i}`)).result.name)).size,
    ).toBeLessThan(1100);
  });
});
