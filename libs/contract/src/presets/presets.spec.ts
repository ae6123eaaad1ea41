import type { Fault } from '@tidings/kernel';
import type { Request } from '../method.ts';
import { createPreset } from './createPreset.ts';

const textOf = (given: Request): string | undefined => {
  const missing = createPreset.missing(given);
  if (missing) return missing.message;
  try {
    createPreset.parse(given);
    return undefined;
  } catch (thrown) {
    return (thrown as Fault).message;
  }
};

const request = (content: Request, more: Request = {}): Request => ({
  name: 'Welcome',
  applicationCode: 'A1B2C-3D4E5',
  content: { message: 'Hi', ...content },
  segmentation: { platforms: [1, 3] },
  ...more,
});
const withAction = (type: string, options?: Request): Request => request({ action: { type, options } });

describe('createPreset', () => {
  it.each<[Request, string | undefined]>([
    [request({}, { applicationCode: null }), 'Missing required argument: applicationCode'],
    [request({}, { applicationCode: null, applicationGroupCode: 'g' }), undefined],
    [request({}, { applicationGroupCode: 1 }), 'applicationCode and applicationGroupCode must not be used together'],
    [request({ message: null }), 'Missing required argument: content.message'],
    [request({}, { segmentation: {} }), 'Missing required argument: segmentation.platforms'],
    [request({}, { segmentation: { platforms: [] } }), 'segmentation.platforms: must not be empty'],
    [request({}, { segmentation: { platforms: [2] } }), 'segmentation.platforms: unknown value'],
    [request({}, { segmentation: { platforms: [7, 14, 17, 18, 21, 22, 23] } }), undefined],
    [request({}, { scheduling: { sendRate: 99 } }), 'scheduling.sendRate: must be 100 to 1000'],
    [withAction('url'), 'content.action.options.url: must be set'],
    [withAction('deepLink', { url: '' }), 'content.action.options.url: must be set'],
    [withAction('richMedia', { url: 'x' }), 'content.action.options.richMediaCode: must be set'],
    [withAction('openApp'), undefined],
    [withAction('close'), 'content.action.type: must be one of url, deepLink, richMedia, openApp'],
    [withAction('url', { url: 'x', shortener: 1 }), 'content.action.options.shortener: must be 0 or 2'],
    [withAction('deepLink', { url: 'x', id: 'x' }), 'content.action.options.id: must be an integer'],
    [withAction('deepLink', { url: 'x', params: [] }), 'content.action.options.params: must be an object'],
    [request({}, { campaignCode: '' }), 'campaign: not found'],
    [request({}, { segmentation: { platforms: [1], filter: '' } }), 'segmentation.filter: not found'],
    [
      request({ properties: { ios: { rootParams: { data: 'x'.repeat(4095) } } } }),
      'content.properties.ios.rootParams.data: at most 4096 bytes',
    ],
    [request({}, { name: 'x'.repeat(65_536) }), undefined],
    [request({ message: 'x'.repeat(65_536) }), undefined],
    [request({ message: { en: 'x'.repeat(65_537) } }), 'content.message: at most 65536 characters'],
    [request({ message: { en: 'x'.repeat(65_537) } }, { segmentation: { platforms: [14] } }), undefined],
    [
      request({ message: { en: 'x'.repeat(200_001) } }, { segmentation: { platforms: [14] } }),
      'content.message.en: at most 200000 characters',
    ],
  ])('checks the request, and names the fault: %#', (given, text) => expect(textOf(given)).toBe(text));

  it('accepts the settings of platforms under either name', () => {
    for (const name of ['properties', 'platforms']) {
      const { content } = createPreset.parse(request({ [name]: { ios: { sound: 'bell', ttl: '60' } } }));
      expect(content.ios).toMatchObject({ sound: 'bell', ttlSeconds: 60 });
    }
  });

  it('accepts both names together, and prefers `properties` if they differ', () => {
    const properties = { ios: { sound: 'bell', silent: 0 } };
    const platforms = { ios: { sound: 'horn', silent: 1, ttl: 60 }, android: { rootParams: { a: 1 } } };
    const { content } = createPreset.parse(request({ properties, platforms }));
    expect(content.ios).toMatchObject({ sound: 'bell', silent: false, ttlSeconds: 60 });
    expect(content.android).toEqual({ rootParams: '{"a":1}' });
  });

  it('keeps the code of rich media for an action of that type only', () => {
    const code = { richMediaCode: 'A1B2C-3D4E5' };
    const richMediaOf = (type: string) => createPreset.parse(withAction(type, code)).content.richMedia;
    expect([richMediaOf('richMedia'), richMediaOf('openApp')]).toEqual(['A1B2C-3D4E5', undefined]);
  });

  it('keeps the parts of a deep link', () => {
    const { content } = createPreset.parse(withAction('deepLink', { url: 'app://a', id: '17', params: { a: 'b' } }));
    expect(content).toMatchObject({ link: 'app://a', deepLinkId: 17n, deepLinkParams: '{"a":"b"}' });
  });
});
