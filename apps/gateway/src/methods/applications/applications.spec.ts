import { api } from '@tidings/contract';
import { APPLICATION, type Client, openClient } from '../../testing/world.ts';

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

it('addTag and listTags', async () => {
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
