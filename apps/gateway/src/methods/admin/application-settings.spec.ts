import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

describe('the settings of an application (R-T8)', () => {
  let world: World;
  let client: Client;
  beforeEach(async () => {
    world = new World();
    client = await openClient(world);
  });
  afterEach(() => client.close());

  const settings = async (code = APPLICATION) => (await client.admin('GET', `applications/${code}/settings`)).body;

  it('name defaults as such', async () => {
    expect(await settings(APPLICATION.toLowerCase())).toMatchObject({
      application: APPLICATION,
      account: 'a',
      debug: { debug_until: null, default: true },
      control_group: { percentage: 0, default: true },
      capping: { days: null, count: 0, default: true },
      at_most_once: { on: false, default: true },
      tracking: { on: true, default: true },
      inbox: { token_required: false, default: true },
      test_devices: { token_required: false, default: true },
      plan: { email_only: false, default: true },
      categories: { categories: [], default: true },
      platforms: [],
    });
  });

  it('have the units and the form of the methods that set them', async () => {
    world.categories = ['News'];
    world.platformSettings = [
      {
        platform: 8,
        enabled: false,
        settings: { wns_psid: 'ms-app://s-1' },
        secrets: ['wns_secret'],
        configuredAt: new Date('2026-01-15T12:00:00.123Z'),
      },
    ];
    Object.assign(world.applications.get(APPLICATION)!, {
      controlGroupPercentage: 12.5,
      capping: { days: 7, count: 3 },
      debugUntil: new Date(world.clock.now() + 1_000),
      atMostOnce: true,
      trackingOff: true,
      inboxTokenRequired: true,
      testDeviceTokenRequired: true,
      emailOnly: true,
    });
    expect(await settings()).toMatchObject({
      debug: { debug_until: expect.stringMatching(/Z$/), default: false },
      control_group: { percentage: 12.5, default: false },
      capping: { days: 7, count: 3, default: false },
      at_most_once: { on: true, default: false },
      tracking: { on: false, default: false },
      inbox: { token_required: true, default: false },
      test_devices: { token_required: true, default: false },
      plan: { email_only: true, default: false },
      categories: { categories: ['News'], default: false },
      senders: { required: true, verified: ['news@example.com'], default: false },
      rate_limits: [{ token: 't1', requests: 100, seconds: 1 }],
      platforms: [
        {
          platform: 8,
          enabled: false,
          configured_at: '2026-01-15T12:00:00Z',
          settings: { wns_psid: 'ms-app://s-1' },
          secrets: ['wns_secret'],
        },
      ],
    });
  });

  it('have no debug mode that is over', async () => {
    world.applications.get(APPLICATION)!.debugUntil = new Date(world.clock.now());
    expect(await settings()).toMatchObject({ debug: { debug_until: null, default: true } });
  });

  it('are not found for an unknown application', async () => {
    expect(await settings('AAAAA-AAAAA')).toEqual({ error: { kind: 'notFound', message: 'Application not found' } });
  });
});
