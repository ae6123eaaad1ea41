import { describe, expect, it } from '@jest/globals';
import { definitions } from '@tidings/channels';
import { api } from '@tidings/contract';

const { configureApplication } = api;

const cases = Object.entries(definitions).flatMap(([channel, { platforms, credential }]) =>
  platforms.map((platform) => ({ channel, platform, required: credential.requiredFor(platform) })),
);

describe('the settings of a credential', () => {
  it.each(cases)(
    'are those that configureApplication takes: $channel, platform $platform',
    ({ platform, required }) => {
      const example = configureApplication.examples.find(({ request }) => Number(request['device_type']) === platform);
      const { settings } = configureApplication.parse(example!.request);
      expect(Object.keys(settings)).toEqual(expect.arrayContaining([...required]));
    },
  );
});
