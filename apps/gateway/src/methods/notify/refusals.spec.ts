import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  client = await openClient(world);
});
afterAll(() => client.close());

const notify = (request: object, token = 'api') =>
  client.send('POST', '/messaging/v2/notify', JSON.stringify(request), { authorization: `Token ${token}` });
const greeting = { content: { localized_content: { en: { default: { body: 'Hello' } } } } };
const segment = (more: object = {}) => ({ segment: { application: APPLICATION, payload: greeting, ...more } });
const transactional = (more: object = {}) => ({
  transactional: { application: APPLICATION, payload: greeting, ...more },
});

const oneMessage = 'exactly one of segment, transactional is required';
const oneList = 'transactional: exactly one of hwids, users, push_tokens, test_devices is required';
const onlyIos = { content: { localized_content: { en: { ios: { body: 'Hello' } } } } };
const noSms = 'SMS needs a block sms or default, or a preset';
const hwids = { list: ['+4915112345678'] };

it.each([
  [{}, oneMessage],
  [{ ...segment(), ...transactional({ hwids: { list: ['a'] } }) }, oneMessage],
  // A required argument precedes the application (R-ER4).
  [{ segment: { application: '00000-00000' }, transactional: {} }, oneMessage],
  [{ segment: { payload: greeting } }, 'segment.application is required'],
  [segment({ payload: null }), 'segment: at least one of payload, email_payload, kakao, whatsapp, line is required'],
  [segment({ payload: {} }), 'segment.payload.content: must be set'],
  [
    segment({ payload: { content: { localized_content: { en: { body: 'x' } } } } }),
    'segment.payload.content.localized_content.en: must have a block',
  ],
  [segment({ code: 'a', expression: 'b' }), 'segment: at most one of code, expression, filter_expression'],
  [segment({ filter_expression: {} }), 'segment.filter_expression.conditions is required'],
  [segment({ platforms: ['EMAIL'] }), 'segment.platforms: EMAIL needs email_payload'],
  [segment({ platforms: ['IOS', 'SMS'], payload: onlyIos }), `segment.platforms: ${noSms}`],
  [transactional({ platforms: [18], payload: { custom_data: {} }, hwids }), `transactional.platforms: ${noSms}`],
  [segment({ payload: null, email_payload: {} }), 'segment.email_payload.body: must be set'],
  [
    segment({ payload: null, email_payload: { body: 'x', from: { email: 'a' } } }),
    'segment.email_payload.from.email: Email address has invalid count of parts',
  ],
  [segment({ platforms: ['NIX'] }), 'segment.platforms[0]: unknown value'],
  [segment({ schedule: { at: 'soon' } }), 'segment.schedule.at: must be a time in RFC 3339'],
  [segment({ schedule: { at: '2020-01-01T00:00:00Z', after: '1s' } }), 'segment.schedule: at most one of at, after'],
  [segment({ payload: null, line: {} }), 'segment.line.content: must be set'],
  [
    segment({ payload: null, line: { content: 'x'.repeat(5001) } }),
    'segment.line.content: must be 1 to 5000 characters',
  ],
  [segment({ kakao: {} }), 'segment.kakao.template is required'],
  [segment({ platforms: ['KAKAO'] }), 'segment.platforms: KAKAO needs kakao'],
  [segment({ whatsapp: {} }), 'segment.whatsapp.content: must be set'],
  [segment({ frequency_capping: { days: 31, count: 1 } }), 'segment.frequency_capping.days: must be 1 to 30'],
  [transactional(), oneList],
  [transactional({ hwids: { list: [] } }), 'transactional.hwids.list: must not be empty'],
  [transactional({ test_devices: true, hwids: { list: ['a'] } }), oneList],
  [transactional({ test_devices: false }), oneList],
])('notify refuses %j (R-O3)', async (request, message) => {
  expect(await notify(request)).toMatchObject({ status: 400, body: { code: 3, message, details: [] } });
  expect(world.drafts).toEqual([]);
});

it('notify refuses bad tokens, foreign applications and unreadable bodies with gateway errors (R-O3)', async () => {
  expect(await notify(segment(), 'nobody')).toMatchObject({ status: 401, body: { code: 16 } });
  expect(await notify({ segment: { application: '00000-00000', payload: greeting } })).toMatchObject({
    status: 403,
    body: { code: 7, message: 'Access denied or application not found' },
  });
  const answer = await client.send('POST', '/messaging/v2/notify', '{', { authorization: 'Token api' });
  expect(answer).toMatchObject({ status: 400, body: { code: 3, message: 'malformed request' } });
});
