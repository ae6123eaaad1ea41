import { Content, type Preset } from '@tidings/events';
import { pushPlatforms } from '@tidings/kernel';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

const text = (value: string) => ({ entries: [{ language: 'default', text: value }] });

const preset: Preset = {
  code: 'DDDDD-00001',
  application: APPLICATION,
  name: 'Welcome',
  campaign: '',
  content: Content.fromPartial({
    text: text('of the preset'),
    title: text('Title'),
    link: 'https://example.com/{{Name}}',
    ios: { sound: 'bell', silent: true },
  }),
  shortenLink: false,
  platforms: [3],
  filter: '',
  sendRate: 0,
  group: '',
};

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  client = await openClient(world);
});
afterAll(() => client.close());
beforeEach(() => {
  world.drafts.length = 0;
  world.preset = preset;
});

it('getPreset shows custom data as it was given (R-I18)', async () => {
  const id = '{"id":9007199254740993}';
  const platforms = { ios: { rootParams: id }, android: { rootParams: id } };
  world.preset = { ...preset, content: Content.fromPartial({ data: id, deepLinkParams: id, ...platforms }) };
  const { text } = await client.raw('getPreset', { auth: 'api', preset_code: preset.code });
  for (const name of ['userdata', 'ios_root_params', 'android_root_params', 'deep_link_params']) {
    expect(text).toContain(`"${name}":${id}`);
  }
});

const create = (notification: object) =>
  client.json13('createMessage', {
    auth: 'api',
    application: APPLICATION,
    notifications: [{ preset: preset.code, ...notification }],
  });
const hwids = (count: number): string[] => Array.from({ length: count }, (_, i) => `d${i}`);

describe('a message of a preset (R-K4)', () => {
  it('takes the fields that the request does not set', async () => {
    await create({});
    expect(world.drafts).toMatchObject([
      {
        linkToShorten: '',
        message: {
          audience: { platforms: [3] },
          content: {
            text: text('of the preset'),
            title: text('Title'),
            link: 'https://example.com/{{Name}}',
            tags: ['Name'],
            placeholders: '',
            ios: { sound: 'bell', silent: true },
          },
        },
      },
    ]);
  });

  it('has each field of the request as a whole', async () => {
    world.preset = { ...preset, content: { ...preset.content!, link: 'https://example.com/17' } };
    await create({ content: { de: 'Hallo' }, ios_silent: 0, ios_sound: null, minimize_link: 2, platforms: [1] });
    expect(world.drafts).toMatchObject([
      {
        linkToShorten: 'https://example.com/17',
        message: {
          audience: { platforms: [1] },
          content: {
            text: { entries: [{ language: 'de', text: 'Hallo' }] },
            title: text('Title'),
            ios: { sound: 'bell', silent: false },
          },
        },
      },
    ]);
  });

  it.each([
    [{ devices: hwids(9) }, []],
    [{ devices: hwids(10) }, [3]],
    [{ users: hwids(1) }, [3]],
    [{ platforms: [] }, [3]],
  ])('goes to the platforms of the preset unless the request sets them: %#', async (fields, platforms) => {
    await create(fields);
    expect(world.drafts).toMatchObject([{ message: { audience: { platforms } } }]);
  });

  it.each([
    [{}, 500],
    [{ users: hwids(1) }, 500],
    [{ send_rate: 100 }, 100],
    [{ send_rate_avoid: true }, 0],
    [{ send_rate: 100, send_rate_avoid: true }, 0],
    [{ devices: hwids(1) }, 0],
  ])('has the send rate of the preset unless the request sets it (R-I11): %#', async (fields, sendRate) => {
    world.preset = { ...preset, sendRate: 500 };
    await create(fields);
    expect(world.drafts).toMatchObject([{ message: { sendRate } }]);
  });
});

describe('a campaign by name (R-RES5)', () => {
  it('is assigned if the request names no code', async () => {
    world.preset = undefined;
    const send = (fields: object) =>
      client.json13('createMessage', {
        auth: 'api',
        application: APPLICATION,
        notifications: [{ content: 'x', ...fields }],
      });
    await send({ campaign_name: 'Spring' });
    await send({ campaign: 'CCCCC-00009', campaign_name: 'Spring' });
    await send({});
    expect(world.drafts.map(({ message }) => message?.campaignId)).toEqual([17n, 0n, 0n]);
    expect(world.drafts[0]?.message?.audience?.platforms).toEqual([...pushPlatforms]);
  });

  it('is not created for a repeated transactionId, of this request or of an earlier one (R-I10)', async () => {
    world.created.set('earlier', { code: 'C0DE0-EARLIER0', answer: 'CODE_NOT_AVAILABLE', repeat: true });
    world.drafts.length = 0;
    world.named.length = 0;
    const of = (transactionId: string, campaign_name: string) => ({ content: 'x', transactionId, campaign_name });
    const { body } = await client.json13('createMessage', {
      auth: 'api',
      application: APPLICATION,
      notifications: [of('new', 'First'), of('earlier', 'Second'), of('new', 'Third'), of('', 'Fourth')],
    });
    expect(world.named).toEqual(['First', 'Fourth']);
    expect(world.drafts.map(({ transactionId }) => transactionId)).toEqual(['new', 'new', '']);
    const codes = [0, 1, 2].map((i) => `C0DE0-0000000${i}`);
    expect(body).toMatchObject({ response: { Messages: [codes[0], 'CODE_NOT_AVAILABLE', codes[1], codes[2]] } });
    await client.json13('createMessage', {
      auth: 'api',
      application: APPLICATION,
      notifications: [of('earlier', 'Fifth')],
    });
    expect([world.named.length, world.drafts.length]).toEqual([2, 3]);
  });
});
