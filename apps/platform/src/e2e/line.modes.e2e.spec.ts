import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lineReasonUser, lineUser } from '@tidings/simulators';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  type Parameters,
  platform,
  type PlatformWorld,
} from '@tidings/testing';

const LINE = 23;
const TOKEN = 'channel-access-token';

let world: PlatformWorld;
let application: string;

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application();
  world.simulators.keys.register({ clients: [{ id: 'line', secret: TOKEN }] });
  await world.call('configureApplication', { application, device_type: LINE, line_channel_access_token: TOKEN });
});
afterAll(() => world?.stop());

async function send(devices: readonly string[], more: Parameters = {}): Promise<string> {
  const notification = { send_date: 'now', content: 'Hello', devices, ...more };
  const { Messages } = await world.call('createLineMessage', { application, notifications: [notification] });
  await world.settle();
  return Messages[0]!;
}
const funnelOf = (code: string) => world.call('getDeliveryFunnel', { message_code: code });
const figuresOf = async (code: string) => funnelFigures(await funnelOf(code), LINE, 'OTHER');
const messagesTo = (token: string): unknown[] =>
  world.simulators.ledger
    .of('line')
    .entries({ token, limit: Infinity })
    .map(({ payload }) => (JSON.parse(payload!) as { messages: unknown[] }).messages[0]);

describe('LINE (R-I26)', () => {
  it('receives texts and templates of a message, whose users are registered', async () => {
    const user = lineUser('accepted', 1);
    const code = await send([user], { content: 'Hi {{Name||friend}}', dynamic_content_placeholders: { Name: 'Anna' } });
    expect(messagesTo(user)).toEqual([{ type: 'text', text: 'Hi Anna' }]);
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel, LINE, 'OTHER')).toMatchObject({ audience: 1, sent: 1, failed: 0 });
    const metrics = (await listedMessage(world, application, code))?.push_info?.metrics ?? [];
    expect(brokenInvariants(funnel, metrics)).toEqual([]);
    expect(await world.call('checkDevice', { application, hwid: user })).toMatchObject({ exist: true });
    const template = { en: { image: { image_url: 'https://a/en.png' } }, th: { raw: { content: { type: 'bubble' } } } };
    await send([user, lineUser('accepted', 2)], { template });
    const picture = { type: 'image', originalContentUrl: 'https://a/en.png', previewImageUrl: 'https://a/en.png' };
    expect([messagesTo(user)[1], messagesTo(lineUser('accepted', 2))]).toEqual([picture, [picture]]);
  });

  it('is reached by createMessage only if the platform is listed (R-I5)', async () => {
    const user = lineUser('accepted', 3);
    await world.call('registerDevice', { application, hwid: user, device_type: LINE });
    const create = async (fields: Parameters): Promise<void> => {
      await world.call('createMessage', { application, notifications: [{ content: 'News', ...fields }] });
      await world.settle();
    };
    await create({});
    expect(messagesTo(user)).toEqual([]);
    await create({ platforms: [LINE] });
    await create({ devices: [user] });
    expect(messagesTo(user)).toEqual([
      { type: 'text', text: 'News' },
      { type: 'text', text: 'News' },
    ]);
  });

  it('receives the text of a preset of its own beside pushes (R-O4)', async () => {
    const user = lineUser('accepted', 8);
    await world.call('registerDevice', { application, hwid: user, device_type: LINE });
    const content = { message: 'Of the preset' };
    await world.call('createPreset', {
      name: 'LINE',
      applicationCode: application,
      content,
      segmentation: { platforms: [LINE] },
    });
    const [preset] = (await world.call('listPresets', { application })).presets;
    const notify = (template: string) => {
      const payload = { content: { localized_content: { default: { default: { body: 'Of the push' } } } } };
      const segment = { application, expression: `A("${application}")`, payload, line: { template } };
      return world.reply('notify', { segment });
    };
    expect(await notify('00000-00000')).toMatchObject({
      status: 400,
      body: { message: 'segment.line.template: not found' },
    });
    expect(await notify(preset!.code)).toMatchObject({ status: 200 });
    await world.settle();
    expect(messagesTo(user)).toEqual([{ type: 'text', text: 'Of the preset' }]);
  });

  it('keeps users whom it refuses, and receives nothing twice after a lost answer', async () => {
    const lost = lineUser('lostReply', 4);
    const refused = [lineUser('dead', 5), lineReasonUser('MonthlyLimit', 6), lineReasonUser('Forbidden', 7)];
    const code = await send([...refused, lost]);
    await world.advance(60);
    await world.settle();
    const errors = { INVALID_TOKEN: 1, QUOTA_EXCEEDED: 1, INVALID_CONFIGURATION: 1 };
    expect(await figuresOf(code)).toMatchObject({ sent: 1, failed: 3, errors });
    expect(await world.call('checkDevice', { application, hwid: refused[0]! })).toMatchObject({ exist: true });
    const accepted = world.simulators.ledger.of('line').entries({ token: lost, reason: 'accepted' });
    expect(accepted).toHaveLength(1);
  });
});
