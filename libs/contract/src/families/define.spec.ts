import { api } from '../api.ts';
import type { Method } from '../method.ts';

const application = 'A1B2C-3D4E5';

const naming = { application, applicationCode: application, filters: { application }, segment: { application } };

const WITHOUT = [
  'addTag',
  'audience/bulkRegisterDevice/{request_id}',
  'audience/bulkSetTags/{request_id}',
  'audience/bulkUnregisterDevice/{request_id}',
  'audience/exportSegment',
  'audience/exportSegment/result',
  'compileFilter',
  'createApplication',
  'createTargetedMessage',
  'deleteCampaign',
  'deleteFilter',
  'deleteMessage',
  'deletePreset',
  'deleteTag',
  'getApplications',
  'getPreset',
  'listTags',
  'statistics/messages/getDeliveryFunnel',
  'statistics/messages/totalsByIntervals',
  'updateGeoZone',
];

describe('the application of a request', () => {
  const methods = Object.values<Method>(api).filter(({ family }) => family !== 'admin');
  const named = methods.filter((method) => method.application(naming) !== undefined);

  it('is authorized by every method that takes one, and is an unknown field of the others (R-ER1)', () => {
    const others = methods.filter((method) => !named.includes(method));
    expect(others.map(({ name }) => name).toSorted()).toEqual(WITHOUT);
    expect(named.map((method) => method.application(naming))).toEqual(named.map(() => application));
  });

  it('is found in every variant of a method', () => {
    for (const device_type of [undefined, 1, 99]) {
      expect(api.configureApplication.application({ application, device_type })).toBe(application);
    }
    expect(api.createMessage.application({ application, applications_group: 'B1B2C-3D4E5' })).toBe(application);
  });
});
