import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';

type Change = NonNullable<DeviceEvent['event']>;

function withoutContent(change: Change): Change {
  switch (change.$case) {
    case 'registered': {
      const { platform } = change.value;
      return { ...change, value: { platform, token: undefined, user: undefined, tags: [], keys: undefined } };
    }
    case 'updated':
      return { ...change, value: { platform: change.value.platform, user: undefined, keys: undefined } };
    case 'tokenSet':
      return { ...change, value: { token: '', tokenHash: '', platform: change.value.platform } };
    case 'tagsChanged':
      return { ...change, value: { tags: [] } };
    case 'occurred':
      return { ...change, value: { name: '', happenedAt: undefined, localAt: undefined } };
    case 'pushToStartTokenSet':
      return { ...change, value: { token: undefined } };
    case 'activityTokenSet':
      return { ...change, value: { activityId: '', activity: '', token: undefined } };
    case 'ownerReplaced':
      return { ...change, value: { from: '', to: '' } };
    case 'tokenRemoved':
    case 'erased':
    case 'keyUsed':
    case 'batchApplied':
      return change;
  }
}

export const redacted = (event: DeviceEvent): DeviceEvent => ({
  ...event,
  hwid: '',
  event: event.event && withoutContent(event.event),
});
