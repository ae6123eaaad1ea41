import { describe, expect, it } from '@jest/globals';
import { resultLine } from '../testing/result-line.ts';
import { lineRefusal } from './line-results.ts';

const reply = (message: string, property?: string): string =>
  JSON.stringify({ message, ...(property === undefined ? {} : { details: [{ message: 'invalid', property }] }) });

describe('lineRefusal', () => {
  it.each([
    [400, reply("The property, 'to', in the request body is invalid (line: -, column: -)"), 'INVALID_TOKEN final'],
    [400, reply('The request body has 1 error(s)', 'to'), 'INVALID_TOKEN final'],
    [400, reply('The request body has 1 error(s)', 'messages[0].text'), 'INVALID_CONTENT final'],
    [400, '', 'INVALID_CONTENT final'],
    [401, reply('Authentication failed'), 'INVALID_CONFIGURATION final'],
    [403, reply('Access to this API is not available for your account'), 'INVALID_CONFIGURATION final'],
    [409, reply('The retry key is already accepted'), 'SENT sent'],
    [
      429,
      reply('The API rate limit has been exceeded. Try again later.'),
      'QUOTA_EXCEEDED retry 1000 throttles credential',
    ],
    [429, reply('You have reached your monthly limit.'), 'QUOTA_EXCEEDED final'],
    [500, reply('The error occurred on the internal server'), 'PROVIDER_ERROR retry 0'],
    [503, '<html>', 'PROVIDER_ERROR retry 0'],
    [413, reply('too large'), 'UNCLASSIFIED_ERROR final'],
  ])('reads %i %s as a send result (R-P)', (status, body, expected) => {
    expect(resultLine(lineRefusal(status, body).result)).toBe(expected);
  });

  it('has the text of LINE as name', () => {
    expect(lineRefusal(400, reply('Failed to send messages')).result).toMatchObject({
      code: '400',
      name: 'Failed to send messages',
    });
    expect(lineRefusal(401, '<').result).toMatchObject({ name: 'unreadable_reply' });
  });
});
