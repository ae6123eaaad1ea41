import { api } from '@tidings/contract';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION } from '../../testing/gateway-world.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.close());

const responseOf = async (name: string, request: object): Promise<unknown> =>
  ((await client.json13(name, { auth: 'api', ...request })).body as { response: unknown }).response;

it('createApplication answers the code', async () => {
  expect(await responseOf('createApplication', { title: 'News' })).toEqual({ application: 'AAAAA-00003' });
});

it('configureApplication answers every flag', async () => {
  const example = api.configureApplication.examples[1]!;
  const response = await responseOf('configureApplication', {
    ...example.request,
    auth: 'api',
    application: APPLICATION,
  });
  expect(response).toEqual(example.reply);
});

it('getApplication answers every field, scalars as text (R-RES19, R-RES20)', async () => {
  const response = await responseOf('getApplication', { application: APPLICATION });
  expect(api.getApplication.output.safeParse(response)).toMatchObject({ success: true });
  expect(response).toMatchObject({
    application: {
      title: APPLICATION,
      icon_url: null,
      ios_gateway: '1',
      android_api_type: '',
      wp7_type: '',
      languages: { en: '12' },
      providers: { ios: false, wns: false },
    },
  });
});

it('addTag answers a result or a fault, and listTags lists tags by name', async () => {
  expect(await responseOf('addTag', { tag: { name: 'Age', type: 1 } })).toEqual({ result: true });
  expect(await client.json13('addTag', { auth: 'api', tag: { name: 'Level', type: 1 } })).toMatchObject({
    body: { status_code: 210, status_message: 'Tag already exists', response: null },
  });
  expect(await responseOf('listTags', {})).toEqual({
    tags: [
      { name: 'B', type: 2, isApplicationSpecific: true },
      { name: 'b', type: 1, isApplicationSpecific: false },
    ],
  });
});

it('setApplicationPlatformStatus names the change and every platform (R-B5)', async () => {
  const answer = (status: string, platform: number | string = 7) =>
    responseOf('setApplicationPlatformStatus', { application: APPLICATION, platform, status });
  const response = await answer('enable');
  expect(response).toMatchObject({ message: 'OS X enabled', available_platforms: { 'OS X': true, iOS: false } });
  expect(api.setApplicationPlatformStatus.output.safeParse(response)).toMatchObject({ success: true });
  expect(await answer('disable', '12')).toMatchObject({ message: 'Firefox disabled' });
  const refused = await client.json13('setApplicationPlatformStatus', {
    auth: 'api',
    application: APPLICATION,
    platform: 14,
    status: 'enable',
  });
  expect(refused.body).toMatchObject({ status_code: 210, status_message: 'platform: unknown value' });
});

it('getApplications names page and pages of more than 100 only (R-B3)', async () => {
  expect(await responseOf('getApplications', {})).toEqual({ applications: { [APPLICATION]: 'News' } });
  expect(await responseOf('getApplications', { page: 101 })).toMatchObject({ page: 101, total: 1 });
  expect(await responseOf('getApplications', { page: 2 ** 32 })).toMatchObject({ page: 2 ** 32 });
  expect(await responseOf('getApplications', { page: 0 })).toEqual({ applications: { [APPLICATION]: 'News' } });
  const refused = await client.json13('getApplications', { auth: 'api', page: -1 });
  expect(refused.body).toMatchObject({ status_code: 210, status_message: 'page: must be 0 or more' });
});

it('getApplicationFile answers text for a file, and a fault for an unknown one (R-B4)', async () => {
  const request = { auth: 'api', application: APPLICATION };
  const sent = await client.raw('getApplicationFile', { ...request, file: 'ios_push_certificate' });
  expect(sent).toEqual({ status: 200, type: 'text/plain', text: 'PEM' });
  const refused = await client.json13('getApplicationFile', { ...request, file: 'passwords' });
  expect(refused.body).toEqual({ status_code: 210, status_message: 'file: unknown value', response: null });
});

it('a deleted application is unknown at once (R-B2)', async () => {
  const request = { auth: 'api', application: APPLICATION };
  expect(await responseOf('deleteApplication', { application: APPLICATION })).toBeNull();
  expect((await client.json13('getApplication', request)).body).toMatchObject({
    status_code: 210,
    status_message: 'Access denied or application not found',
  });
});
