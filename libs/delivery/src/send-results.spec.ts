import { describe, expect, it } from '@jest/globals';
import { apnsRefusal } from './apns-results.ts';
import { fcmRefusal } from './fcm-results.ts';
import type { SendResult } from './send-results.ts';

const said = ({ category, then }: SendResult): string =>
  `${category} ${then.do}${then.do === 'retry' ? ` ${then.firstWaitMs}${then.reconnect ? ' elsewhere' : ''}${then.throttles === 'asked' ? '' : ` throttles ${then.throttles}`}` : ''}`;

describe('APNs', () => {
  it.each([
    [400, 'BadDeviceToken', 'INVALID_TOKEN invalidate'],
    [410, 'Unregistered', 'INVALID_TOKEN invalidate'],
    [410, 'ExpiredToken', 'INVALID_TOKEN invalidate'],
    [400, 'DeviceTokenNotForTopic', 'INVALID_TOKEN final'],
    [400, 'MissingDeviceToken', 'NO_TOKEN final'],
    [400, 'BadCollapseId', 'INVALID_CONTENT final'],
    [400, 'BadExpirationDate', 'INVALID_CONTENT final'],
    [400, 'BadMessageId', 'INVALID_CONTENT final'],
    [400, 'BadPriority', 'INVALID_CONTENT final'],
    [400, 'DuplicateHeaders', 'INVALID_CONTENT final'],
    [400, 'InvalidPushType', 'INVALID_CONTENT final'],
    [400, 'PayloadEmpty', 'INVALID_CONTENT final'],
    [413, 'PayloadTooLarge', 'INVALID_CONTENT final'],
    [400, 'BadTopic', 'INVALID_CONFIGURATION final'],
    [400, 'MissingTopic', 'INVALID_CONFIGURATION final'],
    [400, 'TopicDisallowed', 'INVALID_CONFIGURATION final'],
    [403, 'BadCertificate', 'INVALID_CONFIGURATION final'],
    [403, 'BadCertificateEnvironment', 'INVALID_CONFIGURATION final'],
    [403, 'Forbidden', 'INVALID_CONFIGURATION final'],
    [403, 'InvalidProviderToken', 'INVALID_CONFIGURATION final'],
    [403, 'MissingProviderToken', 'INVALID_CONFIGURATION final'],
    [403, 'UnrelatedKeyIdInToken', 'INVALID_CONFIGURATION final'],
    [403, 'BadEnvironmentKeyIdInToken', 'INVALID_CONFIGURATION final'],
    [403, 'ExpiredProviderToken', 'INVALID_CONFIGURATION once'],
    [429, 'TooManyRequests', 'QUOTA_EXCEEDED retry 0 throttles device'],
    [429, 'TooManyProviderTokenUpdates', 'QUOTA_EXCEEDED retry 60000 throttles credential'],
    [400, 'IdleTimeout', 'PROVIDER_ERROR retry 0 elsewhere'],
    [500, 'InternalServerError', 'PROVIDER_ERROR retry 0 elsewhere'],
    [503, 'ServiceUnavailable', 'PROVIDER_ERROR retry 0 elsewhere'],
    [503, 'Shutdown', 'PROVIDER_ERROR retry 0 elsewhere'],
    [404, 'BadPath', 'INTERNAL_ERROR final'],
    [405, 'MethodNotAllowed', 'INTERNAL_ERROR final'],
    [400, 'SomethingNew', 'UNCLASSIFIED_ERROR final'],
    [429, 'SomethingNew', 'QUOTA_EXCEEDED retry 0'],
    [500, 'SomethingNew', 'PROVIDER_ERROR retry 0'],
  ])('%i %s is %s', (status, reason, expected) => {
    const { result } = apnsRefusal(status, JSON.stringify({ reason }));
    expect(said(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name: reason });
  });

  it.each([['{"reason":"Bad'], [''], ['null'], ['{"reason":7}'], ['<html>']])(
    'tells what it cannot read: %s',
    (body) => {
      expect(said(apnsRefusal(400, body).result)).toBe('UNCLASSIFIED_ERROR final');
      expect(said(apnsRefusal(503, body).result)).toBe('PROVIDER_ERROR retry 0');
    },
  );

  it.each([
    [400, 'UNCLASSIFIED_ERROR final'],
    [403, 'UNCLASSIFIED_ERROR final'],
    [410, 'UNCLASSIFIED_ERROR final'],
    [429, 'QUOTA_EXCEEDED retry 0'],
    [500, 'PROVIDER_ERROR retry 0'],
    [503, 'PROVIDER_ERROR retry 0'],
  ])('judges a body that is cut by its status %i, and touches no token for it', (status, expected) => {
    const cut = JSON.stringify({ reason: 'Unregistered', timestamp: 1, rest: 'x'.repeat(20_000) }).slice(0, 16_384);
    const { result, since } = apnsRefusal(status, cut);
    expect(said(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name: 'unreadable_reply' });
    expect(since).toBeUndefined();
  });

  it('says since when a token is dead', () => {
    const body = (reason: string) => JSON.stringify({ reason, timestamp: 1_700_000_000_000 });
    expect(apnsRefusal(410, body('Unregistered')).since).toBe(1_700_000_000_000);
    expect(apnsRefusal(410, '{"reason":"Unregistered"}').since).toBeUndefined();
    expect(apnsRefusal(400, body('BadTopic')).since).toBeUndefined();
  });

  it('gives equal answers one value', () => {
    const body = '{"reason":"Unregistered"}';
    expect(apnsRefusal(410, body).result).toBe(apnsRefusal(410, body).result);
  });
});

describe('FCM', () => {
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
  ])('%i %s', (status, name, body, expected) => {
    const result = fcmRefusal(status, body);
    expect(said(result)).toBe(expected);
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
  ])('judges a body that is cut by its status %i, and touches no token for it', (status, expected) => {
    const whole = reply('NOT_FOUND', 'UNREGISTERED', undefined, 'x'.repeat(20_000));
    const result = fcmRefusal(status, whole.slice(0, 16_384));
    expect(said(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name: 'unreadable_reply' });
  });

  it('keeps no more names of a strange provider than it can hold', () => {
    const names = Array.from({ length: 3000 }, (_, i) => fcmRefusal(418, reply(`${'X'.repeat(200)}${i}`)).name);
    expect(Math.max(...names.map((name) => name.length))).toBe(100);
    expect(new Set(Array.from({ length: 3000 }, (_, i) => fcmRefusal(418, reply(`N${i}`)).name)).size).toBeLessThan(
      1100,
    );
  });
});
