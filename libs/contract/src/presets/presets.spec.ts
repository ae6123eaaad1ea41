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
    [withAction('deepLink', { url: 'x', params: {} }), 'content.action.options.params: not served yet'],
  ])('%#', (given, text) => expect(textOf(given)).toBe(text));

  it('takes the settings of platforms under either name', () => {
    for (const name of ['properties', 'platforms']) {
      const { content } = createPreset.parse(request({ [name]: { ios: { sound: 'bell', ttl: '60' } } }));
      expect(content.ios).toMatchObject({ sound: 'bell', ttlSeconds: 60 });
    }
  });
});
