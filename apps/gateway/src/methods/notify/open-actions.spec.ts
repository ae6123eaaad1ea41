import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  client = await openClient(world);
});
afterAll(() => client.close());

const greeting = { content: { localized_content: { en: { default: { body: 'Hello' } } } } };
const notify = (payload: object) =>
  client.send('POST', '/messaging/v2/notify', JSON.stringify({ segment: { application: APPLICATION, payload } }), {
    authorization: 'Token api',
  });

it('the open actions of all platforms are accepted, and those of platforms without any are ignored (R-O1)', async () => {
  const open = (url: string) => ({ link: { url, shortener: 'BITLY' } });
  const codes = [1, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18, 22, 23];
  const open_actions = Object.fromEntries(codes.map((code) => [code, open(`https://a/${code}`)]));
  expect((await notify({ ...greeting, open_actions })).status).toBe(200);
  const { message, actionsToShorten } = world.drafts[0]!;
  const { ios, android, huawei, amazon, mac, chrome, firefox, windows, safari, sms } = message.content!;
  const parts = [ios, android, mac, windows, amazon, chrome, firefox, huawei];
  expect(parts.map((part) => part?.openAction?.link)).toEqual(
    [1, 3, 7, 8, 9, 11, 12, 17].map((code) => `https://a/${code}`),
  );
  expect(actionsToShorten.toSorted((a, b) => a - b)).toEqual([1, 3, 7, 8, 9, 11, 12, 17]);
  expect([safari, sms].some((part) => part !== undefined && 'openAction' in part)).toBe(false);
  const unknown = { ...greeting, open_actions: { 99: open('https://a') } };
  expect((await notify(unknown)).body).toMatchObject({ code: 3 });
});
