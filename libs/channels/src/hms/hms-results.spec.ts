import { afterAll, describe, expect, it } from '@jest/globals';
import { clearNames } from '../send-results.ts';
import { resultLine } from '../testing/result-line.ts';
import { hmsRefusal } from './hms-results.ts';

const reply = (code: string, msg: string): string => JSON.stringify({ code, msg, requestId: '1' });
const partly = (msg: object): string => reply('80100000', JSON.stringify(msg));

afterAll(clearNames);

describe('an answer of Push Kit (R-P)', () => {
  it('is a success only by the code in its body', () => {
    expect(resultLine(hmsRefusal(200, reply('80000000', 'Success')).result)).toBe('SENT sent');
    expect(resultLine(hmsRefusal(500, reply('80000000', 'Success')).result)).toBe('PROVIDER_ERROR retry 0');
  });

  it.each([
    ['80300007', 'All the tokens are invalid', 'INVALID_TOKEN invalidate'],
    ['80100001', 'Incorrect request parameters', 'INVALID_CONTENT final'],
    ['80100003', 'Illegal payload', 'INVALID_CONTENT final'],
    ['80100004', 'expired', 'INVALID_CONTENT final'],
    ['80100013', 'Invalid collapse_key', 'INVALID_CONTENT final'],
    ['80100016', 'sensitive', 'INVALID_CONTENT final'],
    ['80300008', 'too large', 'INVALID_CONTENT final'],
    ['80200001', 'OAuth authentication error', 'INVALID_CONFIGURATION once'],
    ['80200003', 'OAuth token expired', 'INVALID_CONFIGURATION once'],
    ['80300002', 'no permission', 'INVALID_CONFIGURATION final'],
    ['80300010', 'number of tokens', 'INTERNAL_ERROR final'],
    ['80300011', 'too frequent', 'QUOTA_EXCEEDED retry 0'],
    ['81000001', 'System inner error', 'PROVIDER_ERROR retry 0'],
  ])('is classified by the code %s, whatever the status is', (code, msg, expected) => {
    for (const status of [200, 400, 401, 500]) {
      const { result } = hmsRefusal(status, reply(code, msg));
      expect(resultLine(result)).toBe(expected);
      expect(result).toMatchObject({ code, name: msg });
    }
  });

  it('invalidates the token that it lists', () => {
    const { result } = hmsRefusal(200, partly({ success: 0, failure: 1, illegal_tokens: ['t'] }));
    expect(resultLine(result)).toBe('INVALID_TOKEN invalidate');
    expect(result).toMatchObject({ code: '80100000', name: 'illegal_tokens' });
    expect(resultLine(hmsRefusal(200, reply('80100000', 'whatever')).result)).toBe('INVALID_TOKEN invalidate');
  });

  it('is a success if it counts the token as sent, and lists none', () => {
    expect(resultLine(hmsRefusal(200, partly({ success: 1, failure: 0, illegal_tokens: [] })).result)).toBe(
      'SENT sent',
    );
  });

  it.each([
    [200, 'SENT sent'],
    [503, 'QUOTA_EXCEEDED retry 0'],
    [502, 'PROVIDER_ERROR retry 0'],
    [429, 'QUOTA_EXCEEDED retry 0'],
    [404, 'UNCLASSIFIED_ERROR final'],
  ])('is classified by its status %i if it has no code (R-P1)', (status, expected) => {
    for (const body of ['<html>', '{"code":"8000', '{}', '[]', 'null']) {
      expect(resultLine(hmsRefusal(status, body).result)).toBe(expected);
    }
  });

  it.each([
    [200, '80600003', 'UNCLASSIFIED_ERROR final'],
    [500, '80600003', 'PROVIDER_ERROR retry 0'],
  ])('is no success with the status %i and a code without a row', (status, code, expected) => {
    const { result } = hmsRefusal(status, reply(code, 'Some reason'));
    expect(resultLine(result)).toBe(expected);
    expect(result).toMatchObject({ code, name: 'Some reason' });
  });

  it('shares its value with equal ones, and keeps a bounded number', () => {
    const results = Array.from({ length: 3000 }, (_, i) =>
      hmsRefusal(200, reply('80100001', `${'x'.repeat(200)}${i}`)),
    );
    expect(new Set(results.map(({ result }) => result)).size).toBe(1);
    const unknown = Array.from({ length: 3000 }, (_, i) => hmsRefusal(200, reply(String(90_000_000 + i), 'x')));
    expect(new Set(unknown.map(({ result: { code } }) => code)).size).toBeLessThan(1100);
  });
});
