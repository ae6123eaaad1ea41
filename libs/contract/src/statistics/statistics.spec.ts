import { Fault } from '@tidings/kernel';
import { api } from '../api.ts';
import type { Method, Request } from '../method.ts';

const faultOf = (method: Method, request: Request): Fault | undefined => {
  const missing = method.missing(request);
  if (missing) return missing;
  try {
    method.parse(request);
    return undefined;
  } catch (thrown) {
    return Fault.from(thrown);
  }
};

const list = (fields: Request, filters: Request = {}): Request => ({
  filters: { application: 'A1B2C-3D4E5', ...filters },
  ...fields,
});

describe('messages:list (R-H2, R-H7)', () => {
  it.each([
    [{}, 'filters is required'],
    [{ filters: {} }, 'filters.application is required'],
    [list({ per_page: 500 }), 'per_page: must be 1 to 499'],
    [list({ per_page: 0 }), 'per_page: must be 1 to 499'],
    [list({ per_page: 1.5 }), 'per_page: must be an integer'],
    [list({ page: -1 }), 'page: must be 0 or more'],
    [list({}, { platforms: ['ios'] }), 'filters.platforms[0]: unknown value'],
    [list({}, { date_range: { date_from: '15.01.2026' } }), 'filters.date_range.date_from: must be YYYY-MM-DD'],
    [
      list({}, { date_range: { date_from: '2026-01-02', date_to: '2026-01-01' } }),
      'filters.date_range: date_from must not be after date_to',
    ],
    [list({}, { messages_ids: Array(1001).fill(1) }), 'filters.messages_ids: at most 1000 entries'],
    [list({}, { messages_codes: Array(1001).fill('a') }), 'filters.messages_codes: at most 1000 entries'],
    [list({}, { message_type: 'SOME' }), 'filters.message_type: must be one of TRANSACTIONAL, BROADCAST, ALL'],
  ])('refuses an invalid request: %#', (request, text) =>
    expect(faultOf(api.messagesList, request)).toMatchObject({ kind: 'argument', message: text }),
  );

  it('defaults to the first 500 of all kinds, and to both whole days of a range', () => {
    const range = { date_range: { date_from: '2026-01-01', date_to: '2026-01-01' } };
    expect(api.messagesList.parse(list({}, range))).toMatchObject({
      perPage: 500,
      page: 0,
      type: 'ALL',
      createdFrom: new Date('2026-01-01T00:00:00Z'),
      createdBefore: new Date('2026-01-02T00:00:00Z'),
    });
  });

  it('has its application below filters', () => {
    expect(api.messagesList.application(list({}))).toBe('A1B2C-3D4E5');
    expect(api.messagesList.application({ filters: 5 })).toBeUndefined();
  });
});

describe('getDeliveryFunnel (R-H7)', () => {
  it.each([
    [{}, 'message_code is required'],
    [{ message_code: 'x', platforms: [99] }, 'platforms[0]: unknown value'],
  ])('refuses an invalid request: %#', (request, text) =>
    expect(faultOf(api.getDeliveryFunnel, request)).toMatchObject({ kind: 'argument', message: text }),
  );
});
