import { describe, expect, it } from '@jest/globals';
import { resultLine } from '../testing/result-line.ts';
import { apnsRefusal } from './apns-results.ts';

describe('apnsRefusal', () => {
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
  ])('reads %i %s as %s', (status, reason, expected) => {
    const { result } = apnsRefusal(status, JSON.stringify({ reason }));
    expect(resultLine(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name: reason });
  });

  it.each([['{"reason":"Bad'], [''], ['null'], ['{"reason":7}'], ['<html>']])(
    'reports an unreadable reply: %s',
    (body) => {
      expect(resultLine(apnsRefusal(400, body).result)).toBe('UNCLASSIFIED_ERROR final');
      expect(resultLine(apnsRefusal(503, body).result)).toBe('PROVIDER_ERROR retry 0');
    },
  );

  it.each([
    [400, 'UNCLASSIFIED_ERROR final'],
    [403, 'UNCLASSIFIED_ERROR final'],
    [410, 'UNCLASSIFIED_ERROR final'],
    [429, 'QUOTA_EXCEEDED retry 0'],
    [500, 'PROVIDER_ERROR retry 0'],
    [503, 'PROVIDER_ERROR retry 0'],
  ])('classifies a truncated body by its status %i, and touches no token for it', (status, expected) => {
    const cut = JSON.stringify({ reason: 'Unregistered', timestamp: 1, rest: 'x'.repeat(20_000) }).slice(0, 16_384);
    const { result, since } = apnsRefusal(status, cut);
    expect(resultLine(result)).toBe(expected);
    expect(result).toMatchObject({ code: String(status), name: 'unreadable_reply' });
    expect(since).toBeUndefined();
  });

  it('reports since when a token is dead', () => {
    const body = (reason: string) => JSON.stringify({ reason, timestamp: 1_700_000_000_000 });
    expect(apnsRefusal(410, body('Unregistered')).since).toBe(1_700_000_000_000);
    expect(apnsRefusal(410, '{"reason":"Unregistered"}').since).toBeUndefined();
    expect(apnsRefusal(400, body('BadTopic')).since).toBeUndefined();
  });

  it('shares one value between equal answers', () => {
    const body = '{"reason":"Unregistered"}';
    expect(apnsRefusal(410, body).result).toBe(apnsRefusal(410, body).result);
  });
});
