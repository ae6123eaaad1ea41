import { defaultQuotas, quotaReached } from './quotas.ts';

it('quotaReached names the thing and the limit (R-LM7)', () => {
  const texts = (['applications', 'tags', 'presets', 'filters', 'geozones', 'testDevices'] as const).map((quota) =>
    quotaReached(quota, defaultQuotas[quota]),
  );
  expect(texts.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    'argument: Application limit reached (10000)',
    'argument: Tag limit reached (10000)',
    'argument: Preset limit reached (10000)',
    'argument: Filter limit reached (10000)',
    'argument: Geozone limit reached (10000)',
    'argument: Test device limit reached (100)',
  ]);
});
