import { describe, expect, it } from '@jest/globals';
import { batchAnswer, refusalIn } from './batch-answer.ts';

describe('the body of a 2xx answer (R-EV6)', () => {
  it.each([
    '',
    'OK',
    '{"status":"failed"}',
    '[]',
    '[1,2]',
    '[{"uuid":"a"}]',
    '[{"uuid":"a","status":null}]',
    '[{"uuid":"a","status":"failed"},7]',
    '[{"uuid":"a","status":"failed"}',
  ])('acknowledges all: %s', (body) => expect(batchAnswer(body)).toBe('all'));

  it('answers for each event that it lists, and leaves the others unacknowledged', () => {
    const statuses = { a: 'ok', b: ' Success ', c: '200', d: 200, e: 'failed', f: '201' };
    const list = Object.entries(statuses).map(([uuid, status]) => ({ uuid, status, message: 'more' }));
    const answer = batchAnswer(` \n${JSON.stringify(list)}`);
    const refusals = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((uuid) => refusalIn(answer, uuid));
    expect(refusals).toEqual([
      ...[undefined, undefined, undefined, undefined],
      ...[{ status: 'failed' }, { status: '201' }, { status: undefined }],
    ]);
    expect(refusalIn('all', 'g')).toBeUndefined();
  });
});
